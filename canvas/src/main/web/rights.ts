import { read } from './readings';
import { store } from './store';
import { clip } from './words';

/**
 * What whoever looks may do, by the roles that `GET /session` told of them (docs/wire/people.md); the platform decides all the same. Who came with the
 * platform's key, and everybody where nobody has a name, may everything.
 */

export interface Grant {
  role: string;
  branch?: string;
  /** At each root of that tenant. */
  tenant?: string;
}

export const ROLES = ['viewer', 'operator', 'owner'] as const;

const NAMED = 3;

const rank = (role: string): number => ROLES.findIndex((one) => one === role);

/** Of the organisation as a whole; -1 is none. */
const overall = (): number => Math.max(-1, ...(store.who?.roles ?? []).filter((one) => !one.branch && !one.tenant).map((one) => rank(one.role)));

/** @param agentId null is the organisation as a whole */
function has(role: string, agentId: string | null): boolean {
  if (!store.who || overall() >= rank(role)) return true;
  const enough = store.who.roles.filter((one) => rank(one.role) >= rank(role));
  const branches = new Set(enough.flatMap((one) => one.branch ?? []));
  const tenants = new Set(enough.flatMap((one) => one.tenant ?? []));
  const seen = new Set<string>();
  for (let up = store.live.agents.get(agentId ?? ''); up && !seen.has(up.id); up = store.live.agents.get(up.parent_id ?? '')) {
    if (branches.has(up.id) || (!up.parent_id && tenants.has(up.tenant ?? ''))) return true;
    seen.add(up.id);
  }
  return false;
}

/** Whether whoever looks has that role at an agent. */
export const mayAs = (role: string, agentId: string): boolean => ROLES.some((one) => one === role) && has(role, agentId);

/** To ask for work, decide, change: one agent, or what is of all of them. */
export const mayAct = (agentId: string | null = null): boolean => has('operator', agentId);

/** Whether there is anybody whom whoever looks may ask. */
export const mayAsk = (): boolean => mayAct() || (!onlyLooks() && [...store.live.agents.keys()].some((id) => mayAct(id)));

/** People, and what is kept for everybody. */
export const mayRule = (): boolean => has('owner', null);

/** More than a branch. */
export const seesAll = (): boolean => has('viewer', null);

export const onlyLooks = (): boolean => !!store.who && store.who.roles.every((one) => one.role === 'viewer');

/** What a token may open that is not narrowed to a branch. */
export const tokenRoles = (): string[] => ROLES.slice(0, overall() < 0 ? 2 : overall() + 1);

/** Why nothing is offered, and who could change that. */
export function lookingWords(): string {
  const people = seesAll() ? (read<{ people: { name: string; disabled: boolean; roles: Grant[] }[] }>('/people').value?.people ?? []) : [];
  const owners = people.filter((one) => !one.disabled && one.roles.some((grant) => grant.role === 'owner' && !grant.branch && !grant.tenant)).map((one) => clip(one.name, 40));
  const named = owners.slice(0, NAMED).join(', ') + (owners.length > NAMED ? ` and ${owners.length - NAMED} more` : '');
  return `You may look, not act${owners.length ? `; owners: ${named}` : ''}.`;
}
