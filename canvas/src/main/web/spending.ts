import { call } from './api';
import type { Metered } from './model';
import { meter } from './organisation';
import { store } from './store';

/** What models cost this month, as `GET /usage` adds it up: read again while somebody works, and now and then. */

const BUSY_MILLIS = 5_000;
const IDLE_MILLIS = 60_000;

interface Usage {
  rows: { key: string | null; cost_micros: number | null; unpriced_calls: number }[];
}

class Spending {
  private readAt = -Infinity;
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

  private async read(): Promise<void> {
    try {
      const { rows } = await call<Usage>('GET', '/usage?by=agent');
      meter(store.live, meteredIn(rows));
      store.changed();
    } catch {
      // what was read stays; that the platform is away is said elsewhere
    }
  }
}

/** By agent, in cents; a call without a price is none for nothing. */
export function meteredIn(rows: Usage['rows']): Map<string, Metered> {
  return new Map(rows.flatMap((row) => (row.key ? [[row.key, { cents: (row.cost_micros ?? 0) / 10_000, unpriced: row.unpriced_calls > 0 }]] : [])));
}

export const spending = new Spending();
