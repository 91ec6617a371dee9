import { Refused, call, says } from './api';
import type { Envelope } from './model';
import { store } from './store';

/** What people asked for, as `GET /work` has it (docs/wire/work.md), and each piece of it that was opened. */

export type WorkState = 'needs_you' | 'working' | 'done' | 'stopped' | 'failed';

export interface Work {
  id: string;
  title: string;
  to: string;
  state: WorkState;
  /** In US dollars; null where nothing is told of it. */
  limit: number | null;
  cost: number | null;
  /** False where some of it was done by programs with a login of their own. */
  metered?: boolean;
  due: string | null;
  asked_by: string;
  created_at: string;
  ended_at: string | null;
}

export interface Task {
  id: string;
  parent_id: string | null;
  kind: 'message' | 'delegation';
  /** By which its agent knows it; absent where older platforms do not say. */
  message_id?: string | null;
  source_id: string | null;
  target_id: string;
  preview: string;
  state: 'running' | 'waiting' | 'ok' | 'error' | 'stopped' | 'unknown';
  started_at: string;
  ended_at: string | null;
}

export interface Words {
  task_id: string;
  kind: 'message' | 'answer';
  from: string | null;
  to: string | null;
  text: string;
  at: string;
}

export interface WorkFile {
  uri: string;
  name: string;
  mimeType: string | null;
  workspace_id: string;
}

export interface PieceOfWork extends Work {
  brief: string;
  tree: Task[];
  words: Words[];
  files: WorkFile[];
}

const LISTED = 50;
/** However much is loaded, the list ends here; what is older is found through the API. */
const LISTED_MAX = 1_000;
/** After an event the list is read again at most so often. */
const FRESHEN_MILLIS = 600;
const PIECES_MAX = 200;

/** What of the stream says that a piece of work may have changed. */
const TELLING = new Set(['TASK_STARTED', 'TASK_ENDED', 'APPROVAL_REQUESTED', 'APPROVAL_DECIDED', 'DELEGATION_SENT', 'DELEGATION_COMPLETE', 'DELEGATION_FAILED']);

export class WorkBook {
  /** Newest first. */
  list: Work[] = [];
  state: 'unread' | 'reading' | 'read' | string = 'unread';
  /** Whether the platform has older ones. */
  more = false;
  readonly pieces = new Map<string, PieceOfWork>();
  readonly notes = new Map<string, string>();
  /** What is called whenever the newest were read. */
  onRead: () => void = () => {};
  private freshening = 0;
  private again = false;
  private open: string | null = null;

  constructor() {
    store.tap((event) => this.hear(event));
  }

  /** Reads the newest; may be called at every drawing. */
  recall(): void {
    if (this.state === 'unread') void this.read();
  }

  async read(): Promise<void> {
    if (this.state === 'reading') {
      this.again = true;
      return;
    }
    const first = this.state === 'unread';
    if (first) this.state = 'reading';
    try {
      const rows = await call<Work[]>('GET', `/work?limit=${LISTED}`);
      const oldest = rows.at(-1)?.id;
      const older = oldest ? this.list.slice(this.list.findIndex((one) => one.id === oldest) + 1 || this.list.length) : [];
      if (first || !older.length) this.more = rows.length === LISTED;
      this.list = [...rows, ...older];
      this.state = 'read';
      this.onRead();
    } catch (failure) {
      if (first || !this.list.length) this.state = says(failure);
    }
    if (this.open) await this.readPiece(this.open);
    store.changed();
    if (this.again) {
      this.again = false;
      this.freshen();
    }
  }

  async readMore(): Promise<void> {
    const last = this.list.at(-1)?.id;
    if (!last || !this.more) return;
    try {
      const rows = await call<Work[]>('GET', `/work?limit=${LISTED}&after=${last}`);
      this.list = [...this.list, ...rows].slice(0, LISTED_MAX);
      this.more = rows.length === LISTED && this.list.length < LISTED_MAX;
    } catch {
      this.more = false;
    }
    store.changed();
  }

  /** The piece that is looked at: read now, and again when it may have changed. */
  async look(id: string | null): Promise<void> {
    if (this.open === id) return;
    this.open = id;
    if (id) {
      this.notes.delete(id);
      await this.readPiece(id);
      store.changed();
    }
  }

  async readPiece(id: string): Promise<PieceOfWork | null> {
    try {
      const piece = await call<PieceOfWork>('GET', `/work/${encodeURIComponent(id)}`);
      this.pieces.set(id, piece);
      if (this.pieces.size > PIECES_MAX) this.pieces.delete(this.pieces.keys().next().value!);
      this.notes.delete(id);
      return piece;
    } catch (failure) {
      this.notes.set(id, failure instanceof Refused && failure.status === 404 ? 'Run not found. Runs are kept for 90 days after they end.' : says(failure));
      return null;
    }
  }

  /** @returns its id; fails with what the platform said */
  async ask(title: string, brief: string, to: string, limit: number | null, due: string | null = null): Promise<string> {
    const work = await call<Work>('POST', '/work', { title, to, ...(brief ? { brief } : {}), ...(limit === null ? {} : { limit }), ...(due === null ? {} : { due }) });
    this.list = [work, ...this.list.filter((one) => one.id !== work.id)];
    store.changed();
    return work.id;
  }

  private hear(event: Envelope): void {
    const telling = TELLING.has(event.event) || (event.event === 'VIEW_DIGEST' && Number(event.payload['tasks']) > 0);
    if (telling && this.state !== 'unread') this.freshen();
  }

  /** At once after a rest, then at most every so often, and once more for what came meanwhile. */
  private freshen(): void {
    if (this.freshening) {
      this.again = true;
      return;
    }
    this.freshening = window.setTimeout(() => {
      this.freshening = 0;
      this.again = false;
      if (!document.hidden) void this.read();
      else this.state = 'unread'; // read when it is looked at again
    }, FRESHEN_MILLIS);
  }
}

export const works = new WorkBook();

/** Where a file of an answer lies: `workspace:/workspace/out/report.html`; null for one that is elsewhere. */
export function pathOf(uri: string): string | null {
  const path = uri.replace(/^workspace:/, '');
  return /^\/(workspace|configs|home|plugins)\/./.test(path) ? path : null;
}
