{{- define "docent.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "docent.selector" -}}
app.kubernetes.io/name: docent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "docent.labels" -}}
{{ include "docent.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "docent.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "docent.name" .) .Values.serviceAccount.name }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{/* What web and worker pods share. Takes a dict of `root`, `part`, `command`, `resources`. */}}
{{- define "docent.pod" -}}
{{- $ := .root }}
metadata:
  labels:
    {{- include "docent.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
  annotations:
    checksum/settings: {{ $.Values.settings | toJson | sha256sum }}
    {{- with $.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "docent.serviceAccount" $ }}
  automountServiceAccountToken: false
  enableServiceLinks: false # else a Service named docent would set DOCENT_PORT
  terminationGracePeriodSeconds: {{ $.Values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with $.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: docent
      image: "{{ $.Values.image.repository }}:{{ $.Values.image.tag | default $.Chart.AppVersion }}"
      imagePullPolicy: {{ $.Values.image.pullPolicy }}
      args: {{ .command | toJson }}
      envFrom:
        - configMapRef:
            name: {{ include "docent.name" $ }}
        {{- if $.Values.existingSecret }}
        - secretRef:
            name: {{ $.Values.existingSecret }}
        {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      resources:
        {{- toYaml .resources | nindent 8 }}
      {{- if eq .part "web" }}
      ports:
        - name: http
          containerPort: 8000
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
      lifecycle:
        preStop: # the endpoints hear that this pod goes before it stops to listen
          exec:
            command: [sleep, "5"]
      {{- end }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: 1Gi
    - name: data
      {{- if eq $.Values.mode "single" }}
      persistentVolumeClaim:
        claimName: {{ $.Values.persistence.existingClaim | default (include "docent.name" $) }}
      {{- else }}
      emptyDir:
        sizeLimit: {{ $.Values.cacheSize }}
      {{- end }}
{{- end }}
