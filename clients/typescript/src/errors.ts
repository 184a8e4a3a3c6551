/** A failed call, with the fields of the API's problem document. */
export class EbbError extends Error {
  override readonly name = "EbbError";

  constructor(
    /** `rate_limited`, `not_found`, …; `unreachable` without an answer. */
    readonly code: string,
    readonly detail: string,
    /** The HTTP status, or null without an answer. */
    readonly status: number | null = null,
    readonly errors: { field: string; message: string }[] = [],
    /** The requested pause in seconds, or null. */
    readonly retryAfter: number | null = null,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${detail}`, options);
  }
}

/** Return the error of an answer, also if it comes from a proxy. */
export async function errorOf(answer: Response): Promise<EbbError> {
  const problem = await answer.json().catch(() => null);
  const seconds = Number.parseFloat(answer.headers.get("Retry-After") ?? "");
  return new EbbError(
    problem?.code ?? "error",
    problem?.detail ?? answer.statusText,
    answer.status,
    problem?.errors ?? [],
    Number.isNaN(seconds) ? null : seconds,
  );
}
