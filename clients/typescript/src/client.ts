import { EbbError, errorOf } from "./errors.js";
import type { components, operations } from "./schema.js";
import { asEbbError, type Options, Wire } from "./wire.js";

type Schemas = components["schemas"];
type Query<Name extends keyof operations> = Omit<
  NonNullable<operations[Name]["parameters"]["query"]>,
  "limit" | "cursor"
>;
type Without<Body, Field extends keyof Body> = Omit<Body, Field>;

export type Memory = Schemas["MemoryOut"];

/** The filters of a list of memories. */
export type MemoryFilters = Omit<Query<"listMemories">, "metadata"> & {
  metadata?: Record<string, unknown>;
};

/** The answer of a tool: `text` is for a model. */
export interface ToolAnswer {
  text: string;
  data: Record<string, unknown>;
}

/** A server-sent event of a reply. */
export interface ChatEvent {
  name: "recalled" | "token" | "tool" | "done";
  data: Record<string, unknown>;
}

interface Page<Item> {
  items: Item[];
  next: string | null;
}

/** A space of memories. Every method throws EbbError. */
export class Ebb {
  private readonly wire: Wire;

  constructor(private readonly options: Options = {}) {
    this.wire = new Wire(options);
  }

  /** Return a client like this one whose calls act for another user, in another time zone if one
   * is given. */
  forUser(userId: string | undefined, timezone = this.options.timezone): Ebb {
    return new Ebb({ ...this.options, userId, timezone });
  }

  /** Save a memory. A restatement reinforces the known memory; `on_duplicate: null` always saves
   * one. */
  remember(
    content: string,
    options: Without<Schemas["MemoryAsked"], "content"> = {},
    idempotencyKey: string = crypto.randomUUID(),
  ): Promise<Schemas["CreatedOut"]> {
    const body = { on_duplicate: "reinforce", ...options, content };
    return this.wire.call("POST", "memories", { body, idempotencyKey });
  }

  /** Save up to a thousand memories, all or none. */
  async rememberAll(
    items: Schemas["MemoryAsked"][],
    idempotencyKey: string = crypto.randomUUID(),
  ): Promise<Memory[]> {
    const call = { body: { items }, idempotencyKey };
    return (await this.wire.call<Schemas["BatchOut"]>("POST", "memories/batch", call)).items;
  }

  /** Return the memories that fit a question, best first. */
  search(
    query: string,
    options: Without<Schemas["SearchIn"], "query"> = {},
  ): Promise<Schemas["SearchOut"]> {
    return this.wire.call("POST", "memories/search", { body: { ...options, query }, twice: true });
  }

  /** Return the memories that help with a message, as text for a model and as data. */
  recall(message: string, options: { limit?: number } = {}): Promise<ToolAnswer> {
    const body = { ...options, query: message };
    return this.wire.call("POST", "tools/search_memories", { body, twice: true });
  }

  /** Yield all memories that match the filters, page by page. */
  memories(filters: MemoryFilters = {}): AsyncGenerator<Memory> {
    return this.pages("memories", filters);
  }

  /** Return one memory, by full or short id. */
  memory(id: string): Promise<Memory> {
    return this.wire.call("GET", `memories/${encodeURIComponent(id)}`);
  }

  /** Change a memory; its earlier version is kept. */
  revise(id: string, changes: Schemas["MemoryChange"]): Promise<Memory> {
    return this.wire.call("PATCH", `memories/${encodeURIComponent(id)}`, { body: changes });
  }

  /** Move a memory to the recycle bin. */
  forget(id: string): Promise<Memory> {
    return this.wire.call("DELETE", `memories/${encodeURIComponent(id)}`);
  }

  /** Restore memories from the bin, all or none. */
  async restore(...ids: string[]): Promise<Memory[]> {
    const call = { body: { ids } };
    return (await this.wire.call<Schemas["RestoreOut"]>("POST", "recycle-bin/restore", call)).items;
  }

  /** Assess an exchange and return the result; stored only with `store`. */
  assess(exchange: Schemas["ExchangeIn"]): Promise<Schemas["AssessOut"]> {
    return this.wire.call("POST", "assess", { body: exchange, twice: !exchange.store });
  }

  /** Queue an exchange for assessment and storage in the background. */
  queueAssessment(
    exchange: Schemas["ExchangeIn"],
    idempotencyKey: string = crypto.randomUUID(),
  ): Promise<Schemas["QueuedOut"]> {
    return this.wire.call("POST", "assessments", { body: exchange, idempotencyKey });
  }

  /** Return the state and result of an assessment. */
  assessment(id: string): Promise<Schemas["AssessmentOut"]> {
    return this.wire.call("GET", `assessments/${encodeURIComponent(id)}`);
  }

  /** Send a message and return the whole reply. */
  chat(
    message: string,
    options: Without<Schemas["ChatIn"], "message" | "stream"> = {},
    idempotencyKey?: string,
  ): Promise<Schemas["ChatOut"]> {
    return this.wire.call("POST", "chat", { body: { ...options, message }, idempotencyKey });
  }

  /** Send a message and yield the reply as events; leaving the loop ends the call. */
  async *streamChat(
    message: string,
    options: Without<Schemas["ChatIn"], "message" | "stream"> = {},
  ): AsyncGenerator<ChatEvent> {
    const body = { ...options, message, stream: true };
    let answer: Response;
    try {
      answer = await this.wire.send("POST", "chat", { body });
    } catch (error) {
      throw asEbbError(error);
    }
    yield* events(answer);
  }

  /** Return the function tools as OpenAI specs. */
  async tools(): Promise<Schemas["ToolList"]["items"]> {
    return (await this.wire.call<Schemas["ToolList"]>("GET", "tools")).items;
  }

  /** Call a tool with the arguments that a model gave. */
  callTool(name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
    return this.wire.call("POST", `tools/${encodeURIComponent(name)}`, { body: args });
  }

  /** Call any other path below `/api/v1/`. */
  call<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.wire.call(method, path, { body });
  }

  private async *pages<Item>(path: string, filters: object): AsyncGenerator<Item> {
    let cursor: string | null = null;
    do {
      const query: object = { ...filters, limit: 200, cursor };
      const page: Page<Item> = await this.wire.call("GET", path, { query });
      yield* page.items;
      cursor = page.next;
    } while (cursor !== null);
  }
}

/** Yield the server-sent events of an answer. Throws the error of an `error` event. */
async function* events(answer: Response): AsyncGenerator<ChatEvent> {
  if (answer.body === null) throw await errorOf(answer);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of answer.body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== null) yield event;
    }
  }
}

function eventOf(block: string): ChatEvent | null {
  const lines = block.split(/\r?\n/);
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
  const name = valuesOf("event")[0];
  if (name === undefined) return null;
  const data = JSON.parse(valuesOf("data").join("\n"));
  if (name === "error") throw new EbbError(data.code, data.detail, data.status, data.errors ?? []);
  return { name: name as ChatEvent["name"], data };
}
