import { EbbError, errorOf } from "./errors.js";

const FIRST_PAUSE = 0.25; // seconds
const LONGEST_PAUSE = 30;
const WORTH_REPEATING = new Set(["unreachable", "busy", "model_unavailable"]);

export interface Options {
  /** Ebb's address; default: the variable EBB_URL. */
  url?: string;
  /** An API key; default: the variable EBB_KEY. */
  key?: string;
  /** The user for whom all calls act. Without it they see only what all users share. */
  userId?: string;
  /** The IANA name of that user's time zone, for words such as “tomorrow”. */
  timezone?: string;
  /** Milliseconds until a call is given up. */
  timeout?: number;
  /** Retries of calls that may safely be repeated. */
  retries?: number;
}

export interface Call {
  body?: unknown;
  query?: object;
  idempotencyKey?: string;
  /** Ebb may receive the call twice, as it may any GET. */
  twice?: boolean;
}

/** Sends requests with fetch and reads the answers. */
export class Wire {
  private readonly base: string;
  private readonly headers: Record<string, string>;
  private readonly timeout: number;
  private readonly retries: number;

  constructor(options: Options) {
    const environment = globalThis.process?.env ?? {};
    const url = options.url ?? environment.EBB_URL ?? "http://127.0.0.1:8000";
    const key = (options.key ?? environment.EBB_KEY ?? "").trim();
    if (!key) throw new TypeError("no API key: give `key`, or set EBB_KEY");
    this.base = `${url.replace(/\/+$/, "").replace(/\/api\/v1$/, "")}/api/v1/`;
    this.headers = { Authorization: `Bearer ${key}` };
    if (options.userId !== undefined) this.headers["X-Ebb-User"] = asLatin1(options.userId);
    if (options.timezone !== undefined) this.headers["X-Ebb-Timezone"] = options.timezone;
    this.timeout = options.timeout ?? 60_000;
    this.retries = options.retries ?? 2;
  }

  /** Return the answer as JSON, or undefined if it is empty. Throws EbbError. */
  async call<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const twice = call.twice || method === "GET" || call.idempotencyKey !== undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await this.send(method, path, call, AbortSignal.timeout(this.timeout));
        const text = await answer.text();
        return (text ? JSON.parse(text) : undefined) as T;
      } catch (error) {
        const failure = asEbbError(error);
        if (attempt >= this.retries || !worthRepeating(failure, twice)) throw failure;
        await pause(failure, attempt);
      }
    }
  }

  /** Return the answer of a call, whose body is still to be read. */
  async send(method: string, path: string, call: Call, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { ...this.headers };
    if (call.body !== undefined) headers["Content-Type"] = "application/json";
    if (call.idempotencyKey !== undefined) headers["Idempotency-Key"] = call.idempotencyKey;
    const answer = await fetch(this.base + path + queryOf(call.query ?? {}), {
      method,
      headers,
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      signal,
    });
    if (!answer.ok) throw await errorOf(answer);
    return answer;
  }
}

function queryOf(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, asText(value)]))}` : "";
}

function asText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : `${value}`;
}

/** HTTP sends headers as Latin-1; Ebb reads them as UTF-8. */
function asLatin1(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** Return an error of fetch as `unreachable`. */
export function asEbbError(error: unknown): EbbError {
  if (error instanceof EbbError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new EbbError("unreachable", detail, null, [], null, { cause: error });
}

function worthRepeating(error: EbbError, twice: boolean): boolean {
  if (error.code === "rate_limited") return true;
  return twice && WORTH_REPEATING.has(error.code);
}

function pause(error: EbbError, attempt: number): Promise<void> {
  const seconds = Math.min(error.retryAfter ?? FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE);
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
