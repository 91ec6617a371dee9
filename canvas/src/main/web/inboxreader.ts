import { Refused, call } from './api';
import { changeWaiting, replaceWaiting } from './inbox';
import type { Organisation, Waiting } from './model';

/** Reads `GET /inbox` whole once, then what changed since: after every hint, after a break, and now and then in case both were missed. */

const PAGE = 200;
/** What waits beyond is counted, not listed. */
const ROWS_MAX = 10_000;
/** Between two readings of what changed: thousands that fail at once are told in few. */
const REST_MILLIS = 150;
const RETRY_MILLIS = 5_000;
/** How much waits behind a row changes without the row: as often all of them are read again, where they fit one page. */
const ALL_AGAIN_MILLIS = 30_000;
const APPROVALS_PAGES_MAX = 10;

interface Told {
  rows: Waiting[];
  resolved: string[];
  position: number;
  waiting: { decide: number; fix: number };
  next?: number | null;
  more?: boolean;
}

/** What only `GET /approvals/pending` knows of an approval: a decision whose grace lasts, and arguments that are too long for an event. */
interface Pending {
  id: string;
  context?: unknown;
  decision?: string;
  takes_effect_at?: string;
}

export class InboxReader {
  /** How many wait, those included that are not listed. */
  count = 0;
  /** Since when it cannot be read, and what the platform says of that: a stream that is silent may stand still, too. */
  trouble: { since: number; why: string } | null = null;
  private position = -1;
  /** The furthest that a hint of the stream told of. */
  private hinted = -1;
  private wholeAt = 0;
  private begun = false;
  private following = false;
  private again = false;
  private retry = 0;

  constructor(
    private readonly org: Organisation,
    private readonly changed: () => void,
    /** Called when it is ahead of all that the stream told: then the stream may be deaf. */
    private readonly ahead: () => void = () => {},
  ) {}

  /** Everything anew; fails with what the platform said. */
  async read(graces = true): Promise<void> {
    const rows: Waiting[] = [];
    let after: number | null = null;
    let first: Told | null = null;
    do {
      const page: Told = await call<Told>('GET', `/inbox?limit=${PAGE}${after === null ? '' : `&after=${after}`}`);
      first ??= page;
      rows.push(...page.rows);
      after = page.next ?? null;
    } while (after !== null && rows.length < ROWS_MAX);
    this.position = first.position;
    this.count = first.waiting.decide + first.waiting.fix;
    await this.complete(rows, graces);
    replaceWaiting(this.org, rows);
    this.begun = true;
    this.wholeAt = Date.now();
    this.trouble = null;
  }

  /** @param position of the inbox, where a hint told it: nothing is asked when that was read already */
  freshen(position = Infinity): void {
    if (Number.isFinite(position)) this.hinted = Math.max(this.hinted, position);
    if (!this.begun || position <= this.position) return;
    this.again = true;
    if (this.following) return;
    clearTimeout(this.retry);
    this.following = true;
    void this.follow().finally(() => (this.following = false));
  }

  private async follow(): Promise<void> {
    while (this.again) {
      this.again = false;
      const before = this.position;
      try {
        const again = this.org.waiting.size > 0 && this.org.waiting.size <= PAGE && Date.now() - this.wholeAt > ALL_AGAIN_MILLIS;
        await (this.position < 0 ? this.read() : again ? this.read(false) : this.readChanges());
        this.trouble = null;
        if (before >= 0 && this.position > Math.max(before, this.hinted)) this.ahead();
      } catch (failure) {
        if (this.position >= 0 && failure instanceof Refused && (failure.status === 410 || failure.status === 400)) {
          this.position = -1; // kept no more, or a platform that is another one: all of it anew
          this.again = true;
        } else {
          this.trouble ??= { since: Date.now(), why: failure instanceof Refused ? failure.message : '' };
          this.retry = window.setTimeout(() => this.freshen(), RETRY_MILLIS);
        }
      }
      this.changed();
      if (this.again) await new Promise((rested) => setTimeout(rested, REST_MILLIS));
    }
  }

  private async readChanges(): Promise<void> {
    let told: Told;
    do {
      told = await call<Told>('GET', `/inbox?since=${this.position}&limit=${PAGE}`);
      await this.complete(told.rows, false);
      changeWaiting(this.org, told.rows.slice(0, Math.max(0, ROWS_MAX - this.org.waiting.size)), told.resolved);
      this.position = told.position;
      this.count = told.waiting.decide + told.waiting.fix;
    } while (told.more);
  }

  /** @param graces whether decisions may be under way that this page did not make, as after a reload */
  private async complete(rows: Waiting[], graces: boolean): Promise<void> {
    const wanted = new Map(rows.filter((row) => row.kind === 'approval' && (graces || row.details['context_left_out'])).map((row) => [row.details['approval_id'], row]));
    let after = '';
    for (let page = 0; wanted.size && page < APPROVALS_PAGES_MAX; page++) {
      const pending: Pending[] = await call<Pending[]>('GET', `/approvals/pending${after ? `?after=${after}` : ''}`).catch(() => []);
      for (const one of pending) {
        const row = wanted.get(one.id);
        if (!row) continue;
        wanted.delete(one.id);
        if (row.details['context_left_out']) row.details['context'] = one.context;
        if (one.takes_effect_at) this.org.answers.set(row.id, { state: 'decided', position: row.position, said: one.decision === 'denied' ? 'Denied' : 'Approved', effectAt: Date.parse(one.takes_effect_at), note: '' });
      }
      if (!pending.length || pending.at(-1)!.id === after) return;
      after = pending.at(-1)!.id;
    }
  }
}
