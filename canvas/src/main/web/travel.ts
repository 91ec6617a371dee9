import { Refused, call, says } from './api';
import type { LoggedEvent } from './model';
import { pastOf, type ChartRow } from './past';
import { store } from './store';
import { works, type PieceOfWork, type Work } from './work';

/** Going to a moment and coming back. One is read at a time; who drags on is taken to where they are when it was. */

const EVENTS_PAGE = 500;
/** Of the newest events so many are kept here for the line; what is older is drawn without words. */
const EVENTS_MAX = 10_000;
/** Pieces of work whose tasks are read for one moment. */
const PIECES_MAX = 20;
const WAIT_MILLIS = 10_000;
/** Where something happens all the time the line is read anew so often. */
const LINE_MILLIS = 1_000;

export interface Mark {
  at: number;
  kind: 'needs' | 'failed' | 'other';
}

const KINDS: Record<string, Mark['kind']> = {
  APPROVAL_REQUESTED: 'needs',
  WORKSPACE_PROVISION_FAILED: 'failed',
  WORKSPACE_DEGRADED: 'failed',
  DELEGATION_FAILED: 'failed',
};

export class Travel {
  /** The moment that is looked at; null is now. */
  at: number | null = null;
  note = '';
  /** Newest first. */
  private events: LoggedEvent[] = [];
  private complete = false;
  private wanted: number | null = null;
  private going = false;
  private reading: Promise<void> | null = null;
  private readAt = -Infinity;

  constructor() {
    const asked = Date.parse(new URLSearchParams(location.search).get('at') ?? '');
    if (Number.isFinite(asked)) this.wanted = asked;
  }

  /** Called once the page is live: goes where the address says. */
  begin(): void {
    works.recall();
    if (this.wanted !== null && !this.going) void this.go(this.wanted);
  }

  get reach(): number | null {
    const oldest = this.events.at(-1);
    return oldest ? Date.parse(oldest.created_at) : null;
  }

  /** For the line: when something happened. */
  marks(): Mark[] {
    const told = this.events.map((event) => ({ at: Date.parse(event.created_at), kind: KINDS[event.event_type] ?? ('other' as const) }));
    const worked = works.list.flatMap((work) => [work.created_at, ...(work.ended_at ? [work.ended_at] : [])].map((at) => ({ at: Date.parse(at), kind: 'other' as const })));
    return [...told, ...worked];
  }

  /** For the line: may be called at every drawing, which comes often where much happens. */
  freshen(): void {
    if (performance.now() - this.readAt > LINE_MILLIS) void this.refresh();
  }

  /** The newest events, read when the line is first drawn and again for those that came since; whoever asks meanwhile waits for the same read. */
  refresh(): Promise<void> {
    if (this.events.length && this.events[0]!.seq >= store.live.seq) return Promise.resolve();
    this.reading ??= this.readNewest().finally(() => (this.reading = null));
    return this.reading;
  }

  private async readNewest(): Promise<void> {
    const newest = this.events[0]?.seq ?? 0;
    this.readAt = performance.now();
    try {
      const rows = await call<LoggedEvent[]>('GET', `/events?limit=${EVENTS_PAGE}`);
      const joined = rows.some((row) => row.seq === newest) || !this.events.length;
      const fresh = rows.filter((row) => row.seq > newest);
      if (!this.events.length || !joined) this.complete = rows.length < EVENTS_PAGE;
      this.events = joined ? [...fresh, ...this.events].slice(0, EVENTS_MAX) : rows;
    } catch {
      // the line is drawn without; the next event tries again
    }
    store.changed();
  }

  /** Back to how it is. */
  now(): void {
    this.wanted = this.at = null;
    this.note = '';
    store.past = null;
    this.address();
    store.changed();
  }

  async go(at: number): Promise<void> {
    this.wanted = Math.min(at, Date.now());
    if (this.going) return;
    this.going = true;
    try {
      while (this.wanted !== null && this.wanted !== this.at) {
        const moment: number = this.wanted;
        const seen = await this.read(moment);
        if (this.wanted === null) break; // came back meanwhile
        if (seen) {
          store.past = seen;
          this.at = moment;
          this.note = '';
          this.address();
        } else if (this.wanted === moment) {
          this.wanted = this.at;
        }
        store.changed();
      }
    } finally {
      this.going = false;
    }
  }

  private async read(at: number) {
    try {
      const [chart] = await Promise.all([call<{ workspaces: ChartRow[] }>('GET', `/org?at=${new Date(at).toISOString()}`, undefined, WAIT_MILLIS), this.readBackTo(at)]);
      const tasks = (await this.piecesAt(at)).flatMap((piece) => piece.tree);
      return pastOf(at, chart.workspaces, this.events, tasks, store.live);
    } catch (failure) {
      this.note = failure instanceof Refused && failure.status === 410 ? 'What was before is kept no more.' : `That moment cannot be read now: ${says(failure)}`;
      return null;
    }
  }

  private async readBackTo(at: number): Promise<void> {
    await this.refresh();
    while (!this.complete && this.events.length < EVENTS_MAX && (this.reach ?? 0) > at) {
      const rows = await call<LoggedEvent[]>('GET', `/events?limit=${EVENTS_PAGE}&before=${this.events.at(-1)!.seq}`);
      this.events = [...this.events, ...rows];
      this.complete = rows.length < EVENTS_PAGE;
    }
  }

  /** The work that was under way then, as far as the list reaches. */
  private async piecesAt(at: number): Promise<PieceOfWork[]> {
    if (works.state !== 'read') await works.read();
    const under = (work: Work) => Date.parse(work.created_at) <= at && (!work.ended_at || at < Date.parse(work.ended_at));
    const all = works.list.filter(under).slice(0, PIECES_MAX);
    const read = await Promise.all(
      all.map((work) => {
        const known = works.pieces.get(work.id);
        return known?.ended_at ? known : works.readPiece(work.id);
      }),
    );
    return read.filter((piece): piece is PieceOfWork => piece !== null);
  }

  private address(): void {
    const search = new URLSearchParams(location.search);
    if (this.at === null) search.delete('at');
    else search.set('at', new Date(this.at).toISOString().replace('.000', ''));
    const query = search.toString().replaceAll('%3A', ':');
    history.replaceState(history.state, '', location.pathname + (query ? `?${query}` : '') + location.hash);
  }
}

export const travel = new Travel();
