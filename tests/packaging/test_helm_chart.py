"""The Helm chart, rendered and linted by Helm's own code, held against Kubernetes' schemas and our settings."""

from collections.abc import Iterator
from typing import Any

import helm_python
import kubernetes_validate
import pytest
import yaml

from tests.packaging.deployed_settings import ROOT, SECRETS, read_as_settings, subcommand

CHART = ROOT / "deploy" / "helm" / "docent"
KUBERNETES = ("1.27.0", "1.33.0")
SINGLE: dict[str, Any] = {}
CLUSTER: dict[str, Any] = {
    "mode": "cluster",
    "existingSecret": "docent",
    "settings": {"DOCENT_VECTORS_URI": "s3://docent/vectors", "DOCENT_LIMIT_CONNECTIONS": "500"},
}
EVERYTHING: dict[str, Any] = {
    "web": {"autoscaling": {"enabled": True}},
    "ingress": {"enabled": True, "className": "nginx", "annotations": {"a": "b"}, "tlsSecret": "tls"},
    "networkPolicy": {"enabled": True},
    "podAnnotations": {"a": "b"},
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "imagePullSecrets": [{"name": "registry"}],
    "persistence": {"storageClass": "fast"},
}
VALUES = [SINGLE, CLUSTER, SINGLE | EVERYTHING, CLUSTER | EVERYTHING]
each_way = pytest.mark.parametrize("values", VALUES, ids=["single", "cluster", "single, all", "cluster, all"])


def rendered(values: dict[str, Any]) -> list[dict[str, Any]]:
    with helm_python.Chart.load(CHART) as chart:
        texts = chart.render(values, name="docent", namespace="web")
    return [
        found
        for path, text in texts.items()
        if path.endswith(".yaml")
        for found in yaml.safe_load_all(text)
        if found is not None
    ]


def installed(values: dict[str, Any]) -> None:
    """As far as Helm goes without a cluster."""
    with helm_python.Chart.load(CHART) as chart:
        chart.validate_schema(values)
        chart.render(values, name="docent")


def of_kind(manifests: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [each for each in manifests if each["kind"] == kind]


def containers(manifests: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each with its pod."""
    for deployment in of_kind(manifests, "Deployment"):
        pod = deployment["spec"]["template"]["spec"]
        for container in pod["containers"]:
            yield pod, container


@each_way
def test_helm_finds_nothing_to_mend(values: dict[str, Any]) -> None:
    report = helm_python.lint(CHART, values, strict=True)
    bad = [message for message in report["messages"] if message["severity"] >= 2]
    assert (bad, report["errors"]) == ([], [])


@each_way
@pytest.mark.parametrize("version", KUBERNETES)
def test_kubernetes_takes_every_manifest(values: dict[str, Any], version: str) -> None:
    manifests = rendered(values)
    assert len(manifests) >= 5
    for manifest in manifests:
        kubernetes_validate.validate(manifest, version, strict=True)


@each_way
def test_every_variable_is_a_setting_that_takes_its_value(values: dict[str, Any]) -> None:
    [config] = of_kind(rendered(values), "ConfigMap")
    read_as_settings({**config["data"], **(SECRETS if values.get("existingSecret") else {})})


@each_way
def test_every_pod_is_nobody_in_particular_and_writes_its_two_folders_alone(values: dict[str, Any]) -> None:
    found = list(containers(rendered(values)))
    assert found
    for pod, container in found:
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] == pod["securityContext"]["fsGroup"] == 10001
        assert not pod["enableServiceLinks"]
        assert not pod["automountServiceAccountToken"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert not container["securityContext"]["allowPrivilegeEscalation"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
        assert subcommand(container["args"]) in ("serve", "work")


def test_one_machine_is_one_pod_on_a_volume_that_stays() -> None:
    manifests = rendered(SINGLE)
    [deployment] = of_kind(manifests, "Deployment")
    [(pod, container)] = containers(manifests)
    [claim] = of_kind(manifests, "PersistentVolumeClaim")
    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    assert container["args"] == ["docent", "serve", "--with-worker"]
    assert {"persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}, "name": "data"} in pod["volumes"]
    assert claim["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
    assert of_kind(manifests, "HorizontalPodAutoscaler") == of_kind(manifests, "PodDisruptionBudget") == []


def test_a_cluster_has_web_and_worker_and_nothing_on_a_volume() -> None:
    manifests = rendered(CLUSTER | EVERYTHING)
    found = {container["args"][1]: (pod, container) for pod, container in containers(manifests)}
    assert set(found) == {"serve", "work"}
    for pod, _ in found.values():
        assert all("emptyDir" in volume for volume in pod["volumes"])
    assert of_kind(manifests, "PersistentVolumeClaim") == []
    [scaler] = of_kind(manifests, "HorizontalPodAutoscaler")
    [web] = [each for each in of_kind(manifests, "Deployment") if each["metadata"]["name"].endswith("-web")]
    assert scaler["spec"]["scaleTargetRef"]["name"] == web["metadata"]["name"]
    assert "replicas" not in web["spec"], "else each upgrade would undo what the autoscaler did"
    [config] = of_kind(manifests, "ConfigMap")
    assert config["data"]["DOCENT_KEYWORDS"] == "own"
    assert config["data"]["DOCENT_LIMIT_CONNECTIONS"] == "500"


@each_way
def test_probes_and_the_service_lead_to_the_web_process(values: dict[str, Any]) -> None:
    manifests = rendered(values)
    [web] = [container for _, container in containers(manifests) if container["args"][1] == "serve"]
    [service] = of_kind(manifests, "Service")
    [config] = of_kind(manifests, "ConfigMap")
    assert web["livenessProbe"]["httpGet"]["path"] == web["startupProbe"]["httpGet"]["path"] == "/healthz"
    assert web["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert [str(port["containerPort"]) for port in web["ports"]] == [config["data"]["DOCENT_PORT"]]
    assert service["spec"]["ports"][0]["targetPort"] == web["ports"][0]["name"]
    for deployment in of_kind(manifests, "Deployment"):
        chosen = deployment["spec"]["selector"]["matchLabels"]
        assert chosen.items() <= deployment["spec"]["template"]["metadata"]["labels"].items()
        is_web = deployment["metadata"]["name"].endswith("-web")
        assert (service["spec"]["selector"] == chosen) == is_web


@each_way
def test_a_pod_has_the_time_that_a_stop_takes(values: dict[str, Any]) -> None:
    for pod, _ in containers(rendered(values)):
        assert pod["terminationGracePeriodSeconds"] >= 45


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"mode": "many"}, "mode"),
        ({"settings": {"MODEL_URL": "x"}}, "MODEL_URL"),
        ({"settings": {"DOCENT_THREADS": 4}}, "DOCENT_THREADS"),
        ({"replicas": 3}, "replicas"),
        ({"mode": "cluster", "settings": {"DOCENT_VECTORS_URI": "s3://a"}}, "existingSecret"),
        ({"mode": "cluster", "existingSecret": "docent"}, "DOCENT_VECTORS_URI"),
    ],
)
def test_values_that_cannot_work_are_refused_by_name(values: dict[str, Any], named: str) -> None:
    with pytest.raises(helm_python.HelmError, match=named):
        installed(values)
