import { call } from './api';
import { treeIn } from './census';
import type { Metered } from './model';
import { meter } from './organisation';
import { store } from './store';

/** What models cost this month, as `GET /usage` adds it up: read again while somebody works, and now and then. And what all together may cost. */

const BUSY_MILLIS = 5_000;
const IDLE_MILLIS = 60_000;
/** Of an organisation with more leaders nobody adds up what they may spend. */
const ROOTS_MAX = 5;

interface Usage {
  rows: { key: string | null; cost_micros: number | null; unpriced_calls: number }[];
}

interface Budget {
  team_limit?: number | null;
  team_period?: 'month' | 'day' | 'all';
}

/** What the whole organisation may spend a day or a month, in cents. */
export interface Allowance {
  limit: number;
  period: 'month' | 'day';
  /** Of a day; what a month has cost is known of each agent. */
  spent: number | null;
}

class Spending {
  /** Null where it has no limit, or one for ever, or its leaders have some of each kind. */
  allowance: Allowance | null = null;
  private readAt = -Infinity;
  /** It is asked of several services, so once a minute, however much is done. */
  private allowanceAt = -Infinity;
  private wasBusy = false;
  private reading = false;

  /** May be called at every drawing. @param busy whether somebody works; who just ended is read once more */
  freshen(busy: boolean): void {
    const rest = busy || this.wasBusy ? BUSY_MILLIS : IDLE_MILLIS;
    if (this.reading || document.hidden || performance.now() - this.readAt < rest) return;
    this.reading = true;
    this.wasBusy = busy;
    void this.read().finally(() => {
      this.reading = false;
      this.readAt = performance.now();
    });
  }

  /** Somebody changed what a team may spend. */
  forget(): void {
    this.readAt = this.allowanceAt = -Infinity;
  }

  private async read(): Promise<void> {
    try {
      const { rows } = await call<Usage>('GET', '/usage?by=agent');
      meter(store.live, meteredIn(rows));
      store.changed();
      if (performance.now() - this.allowanceAt >= IDLE_MILLIS) {
        this.allowanceAt = performance.now();
        this.allowance = await readAllowance();
        store.changed();
      }
    } catch {
      // what was read stays; that the platform is away is said elsewhere
    }
  }
}

async function readAllowance(): Promise<Allowance | null> {
  const { roots } = treeIn(store.live);
  if (!roots.length || roots.length > ROOTS_MAX) return null;
  const budgets = await Promise.all(roots.map((root) => call<Budget>('GET', `/workspaces/${root.id}/budget`)));
  const period = budgets[0]?.team_period;
  if (period !== 'day' && period !== 'month') return null;
  if (!budgets.every((budget) => budget.team_period === period && typeof budget.team_limit === 'number')) return null;
  const limit = budgets.reduce((sum, budget) => sum + (budget.team_limit ?? 0), 0);
  if (period === 'month') return { limit, period, spent: null };
  const today = new Date().toISOString().slice(0, 10); // a day of the platform's, which is one in UTC
  const { rows } = await call<Usage>('GET', `/usage?by=team&from=${today}&to=${today}`);
  const leaders = new Set(roots.map((root) => root.id));
  return { limit, period, spent: rows.reduce((sum, row) => sum + (row.key && leaders.has(row.key) ? (row.cost_micros ?? 0) : 0), 0) / 10_000 };
}

/** By agent, in cents; a call without a price is none for nothing. */
export function meteredIn(rows: Usage['rows']): Map<string, Metered> {
  return new Map(rows.flatMap((row) => (row.key ? [[row.key, { cents: (row.cost_micros ?? 0) / 10_000, unpriced: row.unpriced_calls > 0 }]] : [])));
}

export const spending = new Spending();
