import type { Waiting } from './model';
import { mayAs } from './rights';
import { store } from './store';
import { clip } from './words';

/** Who decides an approval where a rule says so (docs/wire/registry.md, Who decides): nobody is offered what the platform would refuse. */

interface Named {
  people?: unknown;
  role?: unknown;
}

interface Deciders extends Named {
  rule?: unknown;
  escalation?: Named | null;
  escalated_at?: unknown;
  approved_by?: unknown;
  askers?: unknown;
  waits?: unknown;
}

const RULE_MAX = 63;

function decidersOf(row: Waiting): Deciders | null {
  const said = row.kind === 'approval' ? row.details['deciders'] : null;
  return said && typeof said === 'object' ? (said as Deciders) : null;
}

const has = (list: unknown, login: string): boolean => Array.isArray(list) && list.includes(login);

const names = ({ people, role }: Named, login: string, agentId: string): boolean => has(people, login) || (typeof role === 'string' && mayAs(role, agentId));

/** For whom it waits, as the platform says it; empty without a rule. */
export function waitsFor(row: Waiting): string {
  const waits = decidersOf(row)?.waits;
  return typeof waits === 'string' ? waits : '';
}

/** Why whoever looks does not decide it; null where they may. */
export function whyNot(row: Waiting): string | null {
  const said = decidersOf(row);
  if (!said) return null;
  if (!store.who) return 'You do not decide this: your key names nobody. Sign in as a person.';
  const { login } = store.who;
  if (has(said.askers, login)) return 'You do not decide this: you asked for it, or may have.';
  const later = typeof said.escalated_at === 'string' ? said.escalation : null;
  return names(said, login, row.workspace_id) || (later && names(later, login, row.workspace_id)) ? null : `You do not decide this: approval rule ${clip(String(said.rule ?? ''), RULE_MAX)} names others.`;
}

/** Whether whoever looks approved it already, and another one has to. They may still deny it. */
export const approvedHere = (row: Waiting): boolean => !!store.who && has(decidersOf(row)?.approved_by, store.who.login);
