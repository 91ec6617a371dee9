import { call, says } from './api';
import { store } from './store';

/** What was read of the platform for a tab, once per path until it is forgotten; an element may ask at every drawing. */

const KEPT_MAX = 100;

export interface Reading<T> {
  value: T | null;
  /** Why there is none: it is being read, or what the platform said. */
  note: string;
}

interface Kept extends Reading<unknown> {
  /** It is to be read anew; until it was, what was read stays, so that nothing that is typed beside it is lost. */
  stale: boolean;
  /** Which reading counts: one that was begun before it became stale does not. */
  asked: number;
}

const kept = new Map<string, Kept>();

export function read<T>(path: string): Reading<T> {
  const known = kept.get(path);
  if (known && !known.stale) return known as Reading<T>;
  const entry: Kept = known ?? { value: null, note: 'Reading…', stale: false, asked: 0 };
  const asked = ++entry.asked;
  entry.stale = false;
  kept.set(path, entry);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
  call<T>('GET', path)
    .then(
      (value) => asked === entry.asked && Object.assign(entry, { value, note: '' }),
      (failure: unknown) => asked === entry.asked && Object.assign(entry, { value: null, note: says(failure) }),
    )
    .finally(() => store.changed());
  return entry as Reading<T>;
}

/** The next drawing reads anew whatever begins so. */
export function forget(path: string): void {
  for (const [known, entry] of kept) if (known.startsWith(path)) entry.stale = true;
  store.changed();
}
