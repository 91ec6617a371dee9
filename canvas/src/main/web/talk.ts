import { Refused, Unreached, call, headers, says, sentence } from './api';
import { filesIn, filesOf, merged, type ChatFile } from './chatfiles';
import { whyRefused } from './explain';
import type { Envelope } from './model';
import { answerText, partsText } from './organisation';
import { besides, namesOf, stopAll, taskBegunBy } from './stopping';
import { store } from './store';
import { view } from './view';
import { works } from './work';

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
/** What an agent is told of what was said before, of each message. */
const TOLD_MAX = 4_000;
const STEPS_MAX = 200;

export interface Turn {
  key: string;
  /** Who speaks: a person, the agent, or the id of another agent. */
  from: 'you' | 'agent' | string;
  text: string;
  at: number;
  state: 'sending' | 'streaming' | 'done' | 'failed' | 'stopped' | 'queued';
  note: string;
  /** Of an answer: the tools it used, how long it took in ms (0 while unknown), and the piece of work it is for. */
  steps?: Step[];
  took?: number;
  workId?: string;
  /** That go along with it. */
  files?: ChatFile[];
}

/** A tool that an agent used, as it told of it. */
export interface Step {
  tool: string;
  input: string;
  output: string;
}

/** A row of `GET /workspaces/:id/tasks`. */
interface TaskRow {
  caller_id: string | null;
  work_id: string | null;
  message_id: string | null;
  preview: string;
  status: string;
  started_at: string;
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
  /** What the agent remembers of goes by this; the newest that was used, else one that the next message begins. */
  context = '';
  /** What was said before is of another conversation. */
  begun = 0;
  /** What is sent when the answer under way is over. */
  held = '';
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
  request_body?: { params?: { message?: { parts?: unknown; messageId?: string; contextId?: string } } };
  response_body?: { result?: { contextId?: unknown; task?: { contextId?: unknown } } } | null;
  tool_trace?: unknown;
}

/** What is being said, and how it stops. */
interface Saying {
  workId: string;
  /** Whether its words come here as they are said; else what is kept of it is read at its end. */
  live: boolean;
  stop: () => Promise<void>;
}

export class Talk {
  readonly asked: Asked[] = [];
  private readonly conversations = new Map<string, Conversation>();
  /** By the agent, then by the message. */
  private readonly saying = new Map<string, Map<string, Saying>>();
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
      void this.rejoin(agentId, conversation);
    } catch (failure) {
      conversation.history = says(failure);
      conversation.failedAt = Date.now();
    }
    store.changed();
  }

  /** What is here already, and perhaps still being said, stays as it is. */
  private async read(agentId: string, conversation: Conversation): Promise<void> {
    const rows = await call<Row[]>('GET', `/workspaces/${agentId}/activity?limit=${2 * HISTORY}`);
    const known = new Map(conversation.turns.map((turn) => [turn.key, turn]));
    const unheard = (key: string): boolean => known.get(`${key}:a`)?.state === 'streaming' && !this.saying.get(agentId)?.get(key)?.live;
    const heard = (row: Row): boolean => known.has(`${keyOf(row)}:q`) && !unheard(keyOf(row));
    const told = rows.filter((row) => row.activity_type === 'a2a_receive' && !heard(row)).slice(0, HISTORY);
    const read = (await Promise.all(told.map((row) => turnsOf(agentId, row)))).flat();
    const turns = read.filter((turn) => !known.has(turn.key));
    for (const turn of read) {
      const key = turn.key.replace(/:a$/, '');
      if (turn.key === key || !unheard(key)) continue;
      Object.assign(known.get(turn.key)!, turn);
      this.said(agentId, key);
    }
    conversation.context ||= rows.filter((row) => row.activity_type === 'a2a_receive' && !row.source_id).map(contextOf).find((context) => context) ?? '';
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

  /** What it answers people who asked before this page was opened, or elsewhere, is heard here too; and which work each answer is for. */
  private async rejoin(agentId: string, conversation: Conversation): Promise<void> {
    const rows = await this.tasksOf(agentId, conversation);
    for (const row of rows.filter((one) => one.caller_id === null && one.status === 'running' && one.message_id).reverse()) {
      const messageId = row.message_id!;
      if (conversation.turns.some((turn) => turn.key === `${messageId}:q`)) continue;
      const at = Date.parse(row.started_at);
      const question: Turn = { key: `${messageId}:q`, from: 'you', text: row.preview, at, state: 'done', note: '' };
      const answer: Turn = { key: `${messageId}:a`, from: 'agent', text: '', at, state: 'streaming', note: '', workId: row.work_id ?? '' };
      conversation.turns = [...conversation.turns, question, answer].slice(-TURNS_MAX);
      store.changed();
      if (row.work_id) void works.readPiece(row.work_id).then((piece) => { if (piece && Date.parse(piece.created_at) >= at - FRESHEN_MILLIS) question.text = keep(piece.brief || piece.title); store.changed(); });
      void this.followAgain(agentId, messageId, answer);
    }
  }

  /** Of its newest tasks: which work an answer is for. */
  private async tasksOf(agentId: string, conversation: Conversation): Promise<TaskRow[]> {
    const rows = await call<TaskRow[]>('GET', `/workspaces/${agentId}/tasks?running=true&limit=100`).catch(() => []);
    const workOf = new Map(rows.map((row) => [`${row.message_id}:a`, row.work_id ?? '']));
    for (const turn of conversation.turns) turn.workId ||= workOf.get(turn.key) ?? '';
    this.saying.get(agentId)?.forEach((saying, messageId) => {
      const workId = saying.workId ? '' : (workOf.get(`${messageId}:a`) ?? '');
      if (workId) void works.readPiece((saying.workId = workId)).then(() => store.changed());
    });
    store.changed();
    return rows;
  }

  /** An answer that somebody waited for elsewhere: what was said of it so far, and what follows. */
  private async followAgain(agentId: string, messageId: string, answer: Turn): Promise<void> {
    const task = await taskBegunBy(agentId, messageId).catch(() => null);
    const leaving = new AbortController();
    const saying: Saying = { workId: answer.workId ?? '', live: !!task, stop: async () => {
      answer.state = 'stopped';
      answer.note = 'Stopped.';
      leaving.abort();
      if (task) await this.cancel(agentId, task.id, answer);
      else this.said(agentId, messageId);
    } };
    this.say(agentId, messageId, saying);
    if (saying.workId) void works.readPiece(saying.workId).then(() => store.changed());
    if (!task) return; // what is kept of it is read when it is over
    try {
      const response = await post(agentId, { method: 'tasks/resubscribe', params: { id: task.id } }, leaving.signal);
      if (response.ok && response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
        for await (const event of events(response)) if (!event['error']) this.hearPart(answer, event);
        if (answer.state === 'streaming' && answer.text) answer.state = 'done';
      }
    } catch {
      // its end is read
    }
    if ((answer.state as Turn['state']) === 'streaming') {
      saying.live = false;
      this.freshen(agentId);
    } else {
      this.said(agentId, messageId);
      void this.ended(agentId, answer, task.id);
    }
    store.changed();
  }

  private say(agentId: string, messageId: string, saying: Saying): void {
    const all = this.saying.get(agentId) ?? new Map<string, Saying>();
    this.saying.set(agentId, all.set(messageId, saying));
  }

  private said(agentId: string, messageId: string): void {
    const all = this.saying.get(agentId);
    all?.delete(messageId);
    if (all?.size) return;
    this.saying.delete(agentId);
    const words = this.unhold(agentId);
    if (words) void this.send(agentId, words).then((sent) => { if (!sent && !view.drafts.get(agentId)) view.drafts.set(agentId, words); store.changed(); });
  }

  /** What there is to know of an answer once it is over: the tools it used, and which work it is for. */
  private async ended(agentId: string, answer: Turn, taskId: string): Promise<void> {
    answer.took ||= Date.now() - answer.at;
    const conversation = this.with(agentId);
    const task = taskId ? await call<unknown>('GET', `/workspaces/${agentId}/a2a/tasks/${encodeURIComponent(taskId)}`).catch(() => null) : null;
    answer.steps = stepsIn(traceIn(task) ?? answer.steps);
    if (!answer.workId) await this.tasksOf(agentId, conversation);
    store.changed();
  }

  /** Whether nobody ever asked here anything, as far as is kept: neither now nor, of the first agent, before. */
  isFirstVisit(first: string | undefined): boolean {
    return first !== undefined && this.asked.length === 0 && this.with(first).untouched;
  }

  isBusy(agentId: string): boolean {
    return this.saying.has(agentId);
  }

  /** Who else works on what it is at, and so is stopped with it. */
  alsoStopped(agentId: string): string[] {
    return namesOf(besides(agentId, this.worksOf(agentId)));
  }

  private worksOf(agentId: string): string[] {
    return [...(this.saying.get(agentId)?.values() ?? [])].map((one) => one.workId).filter((id) => id);
  }

  /** Stops waiting here at once, and asks the agent to stop, and whom it handed the work on to. */
  stop(agentId: string): Promise<void> {
    const others = besides(agentId, this.worksOf(agentId));
    const own = [...(this.saying.get(agentId)?.values() ?? [])].map((one) => one.stop());
    return Promise.all([...own, stopAll(others)]).then(() => {});
  }

  /** Sends it when the answer under way is over; of several, together. */
  hold(agentId: string, words: string): void {
    const conversation = this.with(agentId);
    conversation.held = conversation.held ? `${conversation.held}\n\n${words}` : words;
    store.changed();
  }

  /** @returns what was held, which is not sent any more */
  unhold(agentId: string): string {
    const conversation = this.with(agentId);
    const words = conversation.held;
    conversation.held = '';
    store.changed();
    return words;
  }

  /** Stops what it is at, then says this. */
  async interrupt(agentId: string, words: string): Promise<boolean> {
    const held = this.unhold(agentId);
    await this.stop(agentId);
    return this.send(agentId, held ? `${held}\n\n${words}` : words);
  }

  /** From here on it remembers nothing of what was said before. */
  beginAnew(agentId: string): void {
    const conversation = this.with(agentId);
    conversation.context = freshId();
    conversation.begun = Date.now();
    store.changed();
  }

  /** What was said between people and it in this conversation, for agents that remember nothing by themselves. */
  private before(conversation: Conversation): { role: string; parts: { kind: string; text: string }[] }[] {
    return peopleIn(conversation.turns)
      .filter((turn) => turn.at >= conversation.begun && turn.text && turn.state === 'done')
      .slice(-HISTORY)
      .map((turn) => ({ role: turn.from === 'you' ? 'user' : 'agent', parts: [{ kind: 'text', text: turn.text.slice(0, TOLD_MAX) }] }));
  }

  /**
   * @param about the task that asked for these words, where one did
   * @param onTaken what to do once the agent has them, however long it works on them
   * @returns false when it could not be sent; then the words stay with the writer
   */
  async send(agentId: string, words: string, about: { taskId?: string; contextId?: string } = {}, onTaken: () => void = () => {}, files: ChatFile[] = []): Promise<boolean> {
    const conversation = this.with(agentId);
    const messageId = freshId();
    const now = Date.now();
    const history = this.before(conversation);
    const contextId = (conversation.context ||= freshId());
    const question: Turn = { key: `${messageId}:q`, from: 'you', text: words, at: now, state: 'sending', note: '', files };
    const answer: Turn = { key: `${messageId}:a`, from: 'agent', text: '', at: now, state: 'streaming', note: '' };
    const asked: Asked = { key: messageId, agentId, text: words, startedAt: now, endedAt: null, state: 'sending' };
    conversation.turns = [...conversation.turns, question, answer].slice(-TURNS_MAX);
    this.asked.unshift(asked);
    this.asked.length = Math.min(this.asked.length, 50);
    store.changed();

    const leaving = new AbortController();
    let taskId = '';
    setTimeout(() => { if (this.saying.get(agentId)?.has(messageId)) void this.tasksOf(agentId, conversation); }, FRESHEN_MILLIS);
    this.say(agentId, messageId, { workId: '', live: true, stop: async () => {
      answer.state = 'stopped';
      answer.note = taskId ? 'Stopped.' : 'No longer waited for.';
      leaving.abort();
      if (taskId) await this.cancel(agentId, taskId, answer);
    } });
    let taken = false;
    try {
      const message = { kind: 'message', role: 'user', messageId, parts: [{ kind: 'text', text: words }, ...files.map((file) => ({ kind: 'file', file }))], contextId, ...about };
      const metadata = history.length && !about.taskId ? { metadata: { history } } : {};
      const response = await post(agentId, { id: messageId, method: 'message/stream', params: { message, ...metadata } }, leaving.signal);
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
      this.broken(agentId, question, answer, taken, failure);
    } finally {
      this.said(agentId, messageId);
      if (answer.state !== 'queued') asked.endedAt = Date.now();
      asked.state = answer.state;
      if (taken && answer.state !== 'queued') void this.ended(agentId, answer, taskId);
      store.changed();
    }
    if (!taken && answer.state === 'failed') {
      conversation.turns = conversation.turns.filter((turn) => turn !== question);
      this.asked.splice(this.asked.indexOf(asked), 1);
      return false;
    }
    return true;
  }

  private broken(agentId: string, question: Turn, answer: Turn, taken: boolean, failure: unknown): void {
    question.state = 'done';
    if (answer.state === 'stopped') return;
    answer.state = 'failed';
    answer.note = taken
      ? 'The connection was lost in the middle. The agent may be at work still; its answer will be here after a reload.'
      : failure instanceof Refused
        ? `Not sent: ${failure.message}`
        : 'Not sent yet: the platform does not answer. Your text is kept.';
    if (!taken && failure instanceof Refused) void whyRefused(agentId).then((why) => { if (why) answer.note = `Not sent: ${why}`; store.changed(); });
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
    answer.files = merged(answer.files, filesOf(event));
    const error = event['error'] as { message?: string } | undefined;
    if (error) {
      answer.state = 'failed';
      answer.note = error.message ?? 'The agent failed.';
    }
    const result = (event['result'] ?? {}) as Record<string, unknown>;
    const status = result['status'] as { state?: string; message?: { parts?: unknown } } | undefined;
    if (result['kind'] === 'artifact-update') {
      const artifact = result['artifact'] as { parts?: unknown } | undefined;
      const part = partsText(artifact?.parts, '');
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
      answer.files = filesOf(body);
      answer.steps = stepsIn(traceIn(body['result']));
      answer.state = body['error'] ? 'failed' : 'done';
    }
  }

  /** What comes by itself: messages to the person, and answers of agents that were busy. */
  private hear(event: Envelope): void {
    if (event.event === 'ACTIVITY_LOGGED' && event.payload['activity_type'] === 'a2a_receive') {
      this.freshen(event.workspace_id);
    } else if (event.event === 'TASK_STARTED') {
      this.begun(event);
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

  /** Of a person who asks elsewhere; and of what is handed on here, so that whoever stops it knows whom. */
  private begun(event: Envelope): void {
    const at = String(event.payload['target_id'] ?? event.workspace_id);
    const conversation = this.conversations.get(at);
    if (event.payload['caller_id'] === null && conversation?.history === 'read' && !this.saying.has(at)) {
      setTimeout(() => void this.rejoin(at, conversation), FRESHEN_MILLIS);
    }
    for (const [agentId, all] of this.saying) {
      if (agentId === at || this.freshening.has(`work of ${agentId}`)) continue;
      this.freshening.add(`work of ${agentId}`);
      setTimeout(() => {
        this.freshening.delete(`work of ${agentId}`);
        void Promise.all([...all.values()].filter((one) => one.workId).map((one) => works.readPiece(one.workId))).then(() => store.changed());
      }, FRESHEN_MILLIS);
    }
  }
}

/** Without what other agents said and were answered. */
export function peopleIn(turns: Turn[]): Turn[] {
  const peers = new Set(turns.filter((turn) => turn.from !== 'you' && turn.from !== 'agent').map((turn) => turn.key.replace(/:q$/, ':a')));
  return turns.filter((turn) => turn.from === 'you' || (turn.from === 'agent' && !peers.has(turn.key)));
}

const contextOf = (row: Row): string => row.request_body?.params?.message?.contextId ?? String(row.response_body?.result?.contextId ?? row.response_body?.result?.task?.contextId ?? '');

/** What an answer, a task or an update says of tools. */
const traceIn = (told: unknown): unknown => (told as { metadata?: { tool_trace?: unknown } } | null)?.metadata?.tool_trace;

/** Of what an agent told: only what can be shown. */
export function stepsIn(trace: unknown): Step[] {
  if (!Array.isArray(trace)) return [];
  const said = (value: unknown): string => (typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value));
  return trace.slice(0, STEPS_MAX).map((one: Record<string, unknown> | null) => ({ tool: said(one?.['tool']) || 'a tool', input: said(one?.['input']), output: said(one?.['output_preview'] ?? one?.['output']) }));
}

const post = (agentId: string, request: { id?: string; method: string; params: unknown }, signal: AbortSignal): Promise<Response> =>
  fetch(`/workspaces/${agentId}/a2a`, {
    method: 'POST',
    headers: { ...headers(), Accept: 'text/event-stream, application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: freshId(), ...request }),
    signal,
  });

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
  let steps = stepsIn(row.tool_trace);
  let files = filesOf(row.response_body);
  if (!said && taskId) {
    const task = await call<unknown>('GET', `/workspaces/${agentId}/a2a/tasks/${encodeURIComponent(taskId)}`).catch(() => null);
    said = answerText({ result: task });
    if (!steps.length) steps = stepsIn(traceIn(task));
    files = merged(files, filesOf(task));
  }
  const failed = row.status === 'error';
  const note = failed ? row.error_detail || row.summary || 'It failed.' : said ? '' : 'Answered; the words are kept no more.';
  return [
    { key: `${key}:q`, from: row.source_id && row.source_id !== agentId ? row.source_id : 'you', text: keep(question), at: at - (row.duration_ms ?? 0), state: 'done', note: '', files: filesIn(message?.parts) },
    { key: `${key}:a`, from: 'agent', text: keep(said), at, state: failed ? 'failed' : 'done', note, steps, files, took: row.duration_ms ?? 0 },
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
