import { linkOf } from './inbox';
import type { Waiting } from './model';
import { read } from './readings';
import { store } from './store';

/** All that an approval asks for, with the digest that a decision on just that names. What the inbox cut is read from the approval itself. */
export interface Asked {
  action: string;
  reason: string;
  context: unknown;
  /** None of a platform, or an approval, from before there were any. */
  digest: string | undefined;
}

/** As the inbox cuts a text, which then ends with an ellipsis. */
const CUT_AT = { text: 400, member: 2_000 };

/** @returns why it is not all here, where it is not: nobody approves then */
export function askedBy(row: Waiting): Asked | string {
  const { action, reason, context, context_left_out: left, digest } = row.details;
  const told = typeof action === 'string';
  const words = told ? action : row.text;
  const cut = left === true || context === null || isCut(words, told ? CUT_AT.member : CUT_AT.text) || isCut(text(reason), CUT_AT.member);
  if (!cut) return exact({ action: words, reason: text(reason), context, digest: named(digest) });
  if (store.past) return 'This is not all of it.';
  const { value, note } = read<Record<string, unknown>>(`/workspaces/${row.workspace_id}/approvals/${linkOf(row)}`);
  // A platform from before this route had the context tells no more than the inbox.
  if (!value || !('context' in value)) return note || 'This is not all of it: ./molecule inbox shows it.';
  return exact({ action: text(value['action']), reason: text(value['reason']), context: value['context'], digest: named(value['digest']) });
}

/** Browsers round large numbers: what is shown would not be what runs. */
const exact = (asked: Asked): Asked | string => (rounds(asked.context) ? 'This has a number that browsers round: ./molecule inbox shows it as it is.' : asked);

function rounds(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(rounds);
}

const isCut = (words: string, at: number): boolean => words.endsWith('…') && words.length >= at - 1;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const named = (digest: unknown): string | undefined => (typeof digest === 'string' && digest ? digest : undefined);
