/** Why a call went wrong: a code of the API, or one of ours: "network" (no answer came), "cut" (the answer stopped). */
export class Failure extends Error {
  constructor(
    readonly code: string,
    readonly status = 0,
    readonly retryable = true,
    message = code,
  ) {
    super(message);
  }
}

/** What a refusal says. Trying again can help where the fault is not in the question or the embedding.
 *
 * @internal */
export async function failureOf(response: Response): Promise<Failure> {
  const { status } = response;
  const body = (await response.json().catch(() => null)) as { error?: { code?: string; message?: string } } | null;
  const { code = "", message } = body?.error ?? {};
  return new Failure(code, status, status > 426 || status === 401 || status === 409, message);
}
