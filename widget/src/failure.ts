/** Why a call went wrong: a code of the API, or one of ours: "network" (no answer came), "cut" (the answer stopped). */
export class Failure extends Error {
  constructor(
    readonly code: string,
    readonly status = 0,
    readonly retryable = true,
  ) {
    super(code);
  }
}

/** Trying again can help where the fault is not in the question or the embedding. */
export function failureOf(status: number, body: unknown): Failure {
  const error = (body as { error?: { code?: unknown } } | null)?.error;
  const code = typeof error?.code === "string" ? error.code : "http_" + status;
  return new Failure(code, status, status === 429 || status === 401 || status === 409 || status >= 500);
}
