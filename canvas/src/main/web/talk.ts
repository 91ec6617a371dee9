import { Refused, Unreached, call, HEADERS, says, sentence } from './api';
import type { Envelope } from './model';
import { answerText, partsText } from './organisation';
import { store } from './store';

/** Conversations with agents: what was said lately, what is being said, and how it stops. */

const HISTORY = 20;
/** Of one answer; what is longer is cut, and says so. */
const TEXT_MAX = 200_000;
const TURNS_MAX = 200;
/** Beyond, a conversation is as it was read until it is opened again. */
const OPENED_MAX = 200;
/** How long after a failure the history is asked for again. */
const RETRY_MILLIS = 10_000;
/** What is said elsewhere is read again at most so often. */
const FRESHEN_MILLIS = 700;

export interface Turn {
  key: string;
  /** Who speaks: a person, the agent, or the id of another agent. */
  from: 'you' | 'agent' | string;
  text: string;
  at: number;
  state: 'sending' | 'streaming' | 'done' | 'failed' | 'stopped' | 'queued';
  note: string;
}

/** What a person asked here, and how far it is. */
export interface Asked {
  key: string;
  agentId: string;
  text: string;
  startedAt: number;
  endedAt: number | null;
  state: Turn['state'];
}

class Conversation {
  turns: Turn[] = [];
  /** Beside the three words: why the newest messages could not be read. */
  history: 'unread' | 'reading' | 'read' | string = 'unread';
  failedAt = 0;
  /** Only what people said and were answered. */
  peopleOnly = false;
  /** Whether a person ever asked this agent anything, as far as is kept. */
  get untouched(): boolean {
    return this.history === 'read' && !this.turns.some((turn) => turn.from === 'you');
  }
}

interface Row {
  id: string;
  source_id: string | null;
  activity_type: string;
  method: string | null;
  summary: string | null;
  status: string;
  error_detail: string | null;
  created_at: string;
  duration_ms: number | null;
  request_body?: { params?: { message?: { parts?: unknown; messageId?: string } } };
  response_body?: unknown;
}

export class Talk {
  readonly asked: Asked[] = [];
  private readonly conversations = new Map<string, Conversation>();
  private readonly stopping = new Map<string, () => void>();
  private readonly freshening = new Set<string>();
  private readonly queued = new Map<string, { turn: Turn; asked: Asked }>();

  constructor() {
    store.tap((event) => this.hear(event));
  }

  /** Of whom every event is wanted, for what they say is shown or may be soon; the last that were opened. */
  get opened(): string[] {
    return [...this.conversations.keys()].slice(-OPENED_MAX);
  }

  with(agentId: string): Conversation {
    let conversation = this.conversations.get(agentId);
    if (!conversation) this.conversations.set(agentId, (conversation = new Conversation()));
    return conversation;
  }

  /** Reads the newest messages once; after a failure again, but not at once. May be called at every drawing. */
  async recall(agentId: string): Promise<void> {
    const conversation = this.with(agentId);
    const { history } = conversation;
    if (history === 'reading' || history === 'read') return;
    if (history !== 'unread' && Date.now() - conversation.failedAt < RETRY_MILLIS) return;
    conversation.history = 'reading';
    try {
      await this.read(agentId, conversation);
      conversation.history = 'read';
    } catch (failure) {
      conversation.history = says(failure);
      conversation.failedAt = Date.now();
    }
    store.changed();
  }

  /** What is here already, and perhaps still being said, stays as it is. */
  private async read(agentId: string, conversation: Conversation): Promise<void> {
    const rows = await call<Row[]>('GET', `/workspaces/${agentId}/activity?limit=${2 * HISTORY}`);
    const here = new Set(conversation.turns.map((turn) => turn.key));
    const told = rows.filter((row) => row.activity_type === 'a2a_receive' && !here.has(`${keyOf(row)}:q`)).slice(0, HISTORY);
    const turns = (await Promise.all(told.map((row) => turnsOf(agentId, row)))).flat();
    if (turns.length) conversation.turns = [...conversation.turns, ...turns].sort((a, b) => a.at - b.at).slice(-TURNS_MAX);
  }

  /** Somebody else spoke with it: another agent, another tab, another device. */
  private freshen(agentId: string): void {
    const conversation = this.conversations.get(agentId);
    if (conversation?.history !== 'read' || this.freshening.has(agentId)) return;
    this.freshening.add(agentId);
    setTimeout(() => {
      this.freshening.delete(agentId);
      this.read(agentId, conversation).then(() => store.changed(), () => {}); // the next message tries again
    }, FRESHEN_MILLIS);
  }

  /** Whether nobody ever asked here anything, as far as is kept: neither now nor, of the first agent, before. */
  isFirstVisit(first: string | undefined): boolean {
    return first !== undefined && this.asked.length === 0 && this.with(first).untouched;
  }

  isBusy(agentId: string): boolean {
    return this.stopping.has(agentId);
  }

  /** Stops waiting here at once, and asks the agent to stop. */
  stop(agentId: string): void {
    this.stopping.get(agentId)?.();
  }

  /**
   * @param about the task that asked for these words, where one did
   * @param onTaken what to do once the agent has them, however long it works on them
   * @returns false when it could not be sent; then the words stay with the writer
   */
  async send(agentId: string, words: string, about: { taskId?: string; contextId?: string } = {}, onTaken: () => void = () => {}): Promise<boolean> {
    const conversation = this.with(agentId);
    const messageId = freshId();
    const now = Date.now();
    const question: Turn = { key: `${messageId}:q`, from: 'you', text: words, at: now, state: 'sending', note: '' };
    const answer: Turn = { key: `${messageId}:a`, from: 'agent', text: '', at: now, state: 'streaming', note: '' };
    const asked: Asked = { key: messageId, agentId, text: words, startedAt: now, endedAt: null, state: 'sending' };
    conversation.turns = [...conversation.turns, question, answer].slice(-TURNS_MAX);
    this.asked.unshift(asked);
    this.asked.length = Math.min(this.asked.length, 50);
    store.changed();

    const leaving = new AbortController();
    let taskId = '';
    this.stopping.set(agentId, () => {
      answer.state = 'stopped';
      answer.note = taskId ? 'Stopped.' : 'No longer waited for.';
      if (taskId) void this.cancel(agentId, taskId, answer);
      leaving.abort();
    });
    let taken = false;
    try {
      const response = await fetch(`/workspaces/${agentId}/a2a`, {
        method: 'POST',
        headers: { ...HEADERS, Accept: 'text/event-stream, application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: messageId,
          method: 'message/stream',
          params: { message: { kind: 'message', role: 'user', messageId, parts: [{ kind: 'text', text: words }], ...about } },
        }),
        signal: leaving.signal,
      });
      if (!response.ok) throw new Refused(response.status, sentence(response.status, await response.json().catch(() => null)));
      taken = true;
      question.state = 'done';
      asked.state = 'streaming';
      onTaken();
      store.changed();
      if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
        for await (const event of events(response)) {
          taskId = taskOf(event) || taskId;
          this.hearPart(answer, event);
        }
        if (answer.state === 'streaming') answer.state = 'done';
      } else {
        this.hearWhole(answer, asked, await response.json());
      }
    } catch (failure) {
      this.broken(question, answer, taken, failure);
    } finally {
      this.stopping.delete(agentId);
      if (answer.state !== 'queued') asked.endedAt = Date.now();
      asked.state = answer.state;
      store.changed();
    }
    if (!taken && answer.state === 'failed') {
      conversation.turns = conversation.turns.filter((turn) => turn !== question);
      this.asked.splice(this.asked.indexOf(asked), 1);
      return false;
    }
    return true;
  }

  private broken(question: Turn, answer: Turn, taken: boolean, failure: unknown): void {
    question.state = 'done';
    if (answer.state === 'stopped') return;
    answer.state = 'failed';
    answer.note = taken
      ? 'The connection was lost in the middle. The agent may be at work still; its answer will be here after a reload.'
      : failure instanceof Refused
        ? `Not sent: ${failure.message}`
        : 'Not sent yet: the platform does not answer. Your words are kept.';
  }

  private async cancel(agentId: string, taskId: string, answer: Turn): Promise<void> {
    try {
      const body = { jsonrpc: '2.0', id: freshId(), method: 'tasks/cancel', params: { id: taskId } };
      const said = await call<{ error?: { message?: string } }>('POST', `/workspaces/${agentId}/a2a`, body);
      if (said.error) answer.note = `It may go on: ${said.error.message ?? 'the agent did not stop'}.`;
    } catch (failure) {
      answer.note = `It may go on: ${says(failure)}`;
    }
    store.changed();
  }

  private hearPart(answer: Turn, event: Record<string, unknown>): void {
    const error = event['error'] as { message?: string } | undefined;
    if (error) {
      answer.state = 'failed';
      answer.note = error.message ?? 'The agent failed.';
    }
    const result = (event['result'] ?? {}) as Record<string, unknown>;
    const status = result['status'] as { state?: string; message?: { parts?: unknown } } | undefined;
    if (result['kind'] === 'artifact-update') {
      const artifact = result['artifact'] as { parts?: unknown } | undefined;
      const part = partsText(artifact?.parts);
      answer.text = keep(result['append'] ? answer.text + part : answer.text ? `${answer.text}\n${part}` : part);
    } else if (result['kind'] === 'message') {
      answer.text = keep(answerText(event));
    } else if (status) {
      const said = partsText(status.message?.parts);
      if (status.state === 'failed' || status.state === 'rejected') {
        answer.state = 'failed';
        answer.note = said || 'The agent failed.';
      } else if (status.state === 'canceled') {
        answer.state = 'stopped';
        answer.note = 'Stopped.';
      } else if (said) {
        answer.note = status.state === 'working' ? said : '';
        if (status.state !== 'working') answer.text = keep(answer.text || said);
      } else {
        answer.note = '';
      }
      if (result['kind'] === 'task' && !answer.text) answer.text = keep(answerText({ result: { ...result, status: undefined } }));
    }
    store.changed();
  }

  private hearWhole(answer: Turn, asked: Asked, body: Record<string, unknown>): void {
    const result = body['result'] as { status?: unknown } | undefined;
    if (body['queued'] === true) {
      answer.state = 'queued';
      const before = Math.max(0, Number(body['queue_depth'] ?? 1) - 1); // the depth counts this one too
      answer.note = `Busy; ${before ? `${before} before you` : 'you are next'}. The answer will come here.`;
      this.queued.set(String(body['queue_id']), { turn: answer, asked });
    } else if (result?.status === 'queued') {
      answer.state = 'done';
      answer.note = 'This agent fetches its messages; it answers when it has read this one.';
    } else {
      answer.text = keep(answerText(body));
      answer.state = body['error'] ? 'failed' : 'done';
    }
  }

  /** What comes by itself: messages to the person, and answers of agents that were busy. */
  private hear(event: Envelope): void {
    if (event.event === 'ACTIVITY_LOGGED' && event.payload['activity_type'] === 'a2a_receive') {
      this.freshen(event.workspace_id);
    } else if (event.event === 'AGENT_MESSAGE') {
      const conversation = this.with(event.workspace_id);
      const key = `${event.timestamp}:${event.workspace_id}`;
      const text = keep(String(event.payload['message'] ?? ''));
      conversation.turns = [
        ...conversation.turns,
        { key, from: 'agent', text, at: Date.parse(event.timestamp), state: 'done' as const, note: '' },
      ].slice(-TURNS_MAX);
    } else if (event.event === 'A2A_RESPONSE' && typeof event.payload['queue_id'] === 'string') {
      const waiting = this.queued.get(event.payload['queue_id']);
      if (!waiting) return;
      this.queued.delete(event.payload['queue_id']);
      waiting.turn.text = keep(answerText(event.payload['response_body']));
      waiting.turn.note = '';
      waiting.turn.state = waiting.asked.state = 'done';
      waiting.asked.endedAt = Date.now();
    }
  }
}

const keep = (text: string): string => (text.length <= TEXT_MAX ? text : text.slice(0, TEXT_MAX) + '\n… (cut here: longer than 200,000 characters)');

const taskOf = (event: Record<string, unknown>): string => {
  const result = (event['result'] ?? {}) as Record<string, unknown>;
  return String((result['kind'] === 'task' ? result['id'] : result['taskId']) ?? '');
};

const keyOf = (row: Row): string => row.request_body?.params?.message?.messageId ?? row.id;

/** Question and answer of a row. Of a stream the row holds the last word only, so its task is asked for what it made. */
async function turnsOf(agentId: string, row: Row): Promise<Turn[]> {
  const at = Date.parse(row.created_at);
  const message = row.request_body?.params?.message;
  const key = keyOf(row);
  const question = partsText(message?.parts);
  if (!question) return [];
  const taskId = taskOf((row.response_body ?? {}) as Record<string, unknown>);
  let said = answerText(row.response_body);
  if (!said && taskId) {
    const task = await call<unknown>('GET', `/workspaces/${agentId}/a2a/tasks/${encodeURIComponent(taskId)}`).catch(() => null);
    said = answerText({ result: task });
  }
  const failed = row.status === 'error';
  const note = failed ? row.error_detail || row.summary || 'It failed.' : said ? '' : 'Answered; the words are kept no more.';
  return [
    { key: `${key}:q`, from: row.source_id && row.source_id !== agentId ? row.source_id : 'you', text: keep(question), at: at - (row.duration_ms ?? 0), state: 'done', note: '' },
    { key: `${key}:a`, from: 'agent', text: keep(said), at, state: failed ? 'failed' : 'done', note },
  ];
}

/** The events of a `text/event-stream` answer, as JSON. An event over 11 MiB, more than the platform passes on, ends the reading. */
export async function* events(response: Response): AsyncGenerator<Record<string, unknown>> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      if (rest.length > 11 * 1024 * 1024) throw new Unreached('The answer is too long.');
      let end: number;
      while ((end = rest.indexOf('\n\n')) >= 0) {
        const data = rest.slice(0, end).split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trimStart()).join('\n');
        rest = rest.slice(end + 2);
        if (data) yield JSON.parse(data) as Record<string, unknown>;
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

export const talk = new Talk();

/** A random UUID, also where the page came over plain HTTP from another machine and `crypto.randomUUID` is missing. */
function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
