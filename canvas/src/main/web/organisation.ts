import { dropWaiting, standsStill } from './inbox';
import type { Agent, Beam, Envelope, Happening, LoggedEvent, Metered, Organisation, Workspace } from './model';
import { MOODS, clip, statusWord, type Mood } from './words';

/** The picture of the organisation, changed by events alone: no clock, no network, so that a test can say what follows from what. */

const BEAM_MILLIS = 2_000;
const BEAMS_MAX = 30;
const LATELY_MAX = 40;
const SETTLED_MAX = 500;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown, otherwise: number): number => (typeof value === 'number' && isFinite(value) ? value : otherwise);

/** Takes the place of everybody there was; what was heard of those who stay is kept. */
export function replaceAgents(org: Organisation, rows: Workspace[]): void {
  const before = org.agents;
  org.shape++;
  org.agents = new Map(
    rows.map((row, order) => {
      const known = before.get(row.id);
      const same = known && known.status === row.status && known.current_task === row.current_task;
      const agent: Agent = {
        ...row,
        current_task: row.current_task ?? '',
        monthly_spend: row.monthly_spend ?? 0,
        reported: row.monthly_spend ?? 0,
        unpriced: false,
        budget_limit: row.budget_limit ?? null,
        order,
        since: same ? known.since : null,
        error: row.last_sample_error || known?.error || '',
        lastWords: known?.lastWords ?? '',
        waits: known?.waits ?? null,
      };
      return [row.id, agent];
    }),
  );
  org.agents.forEach((agent) => spends(agent, org.metered.get(agent.id)));
}

/** What models cost this month, by agent; what an agent reports itself is in that, so the two are not added. */
export function meter(org: Organisation, metered: Map<string, Metered>): void {
  org.metered = metered;
  org.agents.forEach((agent) => spends(agent, metered.get(agent.id)));
}

function spends(agent: Agent, metered: Metered | undefined): void {
  agent.monthly_spend = Math.max(agent.reported, metered?.cents ?? 0);
  agent.unpriced = metered?.unpriced ?? false;
}

/** Reads the newest recorded events, newest first as the API has them: since when, why, and what happened lately. */
export function recall(org: Organisation, rows: LoggedEvent[]): void {
  const settled = new Set<string>();
  org.lately = [];
  org.settled = new Map();
  for (const row of rows) {
    const at = Date.parse(row.created_at);
    const agent = org.agents.get(row.workspace_id ?? '');
    if (agent && !settled.has(agent.id) && text(row.payload['status'])) {
      settled.add(agent.id);
      if (agent.active_tasks === 0) agent.since ??= at;
      if (agent.status === 'failed' || agent.status === 'degraded') agent.error = why(row.payload['error']) || text(row.payload['sample_error']) || agent.error;
    }
    if (org.lately.length < LATELY_MAX) {
      const happening = happeningOf(org, envelopeOf(row), at);
      if (happening) org.lately.push(happening);
    }
  }
  for (const row of [...rows].reverse()) settle(org, envelopeOf(row), Date.parse(row.created_at));
}

const envelopeOf = (row: LoggedEvent): Envelope => ({
  event: row.event_type,
  workspace_id: row.workspace_id ?? '',
  timestamp: row.created_at,
  payload: row.payload,
  seq: row.seq,
});

/** One event of the stream. Unknown kinds, and events of agents nobody knows, change nothing but the position. */
export function apply(org: Organisation, event: Envelope): void {
  const at = Date.parse(event.timestamp) || org.heardAt;
  org.heardAt = Math.max(org.heardAt, at);
  if (event.seq !== undefined) {
    if (event.seq <= org.seq) return; // told before
    org.seq = event.seq;
  }
  const payload = event.payload ?? {};
  if (event.event === 'VIEW_DIGEST') return digest(org, payload, at);
  if (event.event === 'WORKSPACE_PROVISIONING' && !org.agents.has(event.workspace_id)) {
    org.agents.set(event.workspace_id, newcomer(org, event, at));
    org.shape++;
  }
  const agent = org.agents.get(event.workspace_id);
  const happening = happeningOf(org, event, at);
  if (agent) {
    structure(org, agent, payload, at);
    KINDS[event.event]?.(org, agent, payload, at);
  }
  settle(org, event, at);
  if (happening) {
    org.lately.unshift(happening);
    org.lately.length = Math.min(org.lately.length, LATELY_MAX);
  }
}

/** In events the place of a child counts from its parent's; here, as in `GET /workspaces`, from the corner of the canvas. */
function newcomer(org: Organisation, event: Envelope, at: number): Agent {
  const payload = event.payload;
  const parent = org.agents.get(text(payload['parent_id']));
  const order = Math.max(-1, ...[...org.agents.values()].map((agent) => agent.order)) + 1;
  const placed = typeof payload['x'] === 'number' && typeof payload['y'] === 'number';
  return {
    id: event.workspace_id,
    name: text(payload['name']) || 'New agent',
    role: text(payload['role']) || null,
    tier: number(payload['tier'], 1),
    status: 'provisioning',
    parent_id: text(payload['parent_id']) || null,
    active_tasks: 0,
    runtime: text(payload['runtime']),
    x: placed ? number(payload['x'], 0) + (parent?.x ?? 0) : 0,
    y: placed ? number(payload['y'], 0) + (parent?.y ?? 0) : 0,
    collapsed: false,
    current_task: '',
    last_sample_error: '',
    monthly_spend: 0,
    reported: 0,
    unpriced: false,
    waits: null,
    budget_limit: null,
    order,
    since: at,
    error: '',
    lastWords: '',
  };
}

/** Structural events say how name, role, parent and status are after the change. */
function structure(org: Organisation, agent: Agent, payload: Record<string, unknown>, at: number): void {
  const status = text(payload['status']);
  if (!status || typeof payload['name'] !== 'string') return;
  agent.name = payload['name'];
  agent.role = text(payload['role']) || null;
  under(org, agent, payload['parent_id']);
  if (agent.status !== status) {
    agent.status = status;
    agent.since = at;
    if (status !== 'failed' && status !== 'degraded') agent.error = '';
  }
}

function under(org: Organisation, agent: Agent, parent: unknown): void {
  const id = text(parent) || null;
  if (agent.parent_id === id) return;
  agent.parent_id = id;
  org.shape++;
}

/** What became of many events since the last one: how agents are now, and who spoke (docs/wire/events.md, Views). */
function digest(org: Organisation, payload: Record<string, unknown>, at: number): void {
  for (const row of payload['workspaces'] as Record<string, unknown>[]) {
    const agent = org.agents.get(text(row['id']));
    if (!agent) continue;
    const status = text(row['status']);
    if (status && status !== agent.status) {
      agent.status = status;
      agent.since = at;
      if (status !== 'failed' && status !== 'degraded') agent.error = '';
    }
    agent.error = why(row['error']) || agent.error;
    tasks(org, agent, status === 'offline' ? { active_tasks: 0 } : row, at);
  }
  for (const [from, to] of payload['pairs'] as [string, string][]) beam(org, from, to, at);
  org.seq = Math.max(org.seq, number(payload['seq'], 0));
}

type Change = (org: Organisation, agent: Agent, payload: Record<string, unknown>, at: number) => void;

const tasks: Change = (_, agent, payload, at) => {
  const before = agent.active_tasks > 0 || agent.current_task !== '';
  agent.active_tasks = number(payload['active_tasks'], agent.active_tasks);
  agent.current_task = typeof payload['current_task'] === 'string' ? payload['current_task'] : agent.current_task;
  if (agent.active_tasks === 0) agent.current_task = '';
  const after = agent.active_tasks > 0 || agent.current_task !== '';
  if (before !== after) agent.since = at;
};

const said: Change = (_, agent, payload) => {
  agent.lastWords = clip(text(payload['message']) || answerText(payload['response_body']), 200) || agent.lastWords;
};

/** Of an agent whose program has a login of its own, as the registry reads it off its card. */
const OWN_LOGIN = 'urn:molecule:a2a:own-login';

const KINDS: Record<string, Change> = {
  AGENT_CARD_UPDATED: (_, agent, payload) => {
    const card = payload['agent_card'] as { capabilities?: { extensions?: unknown } } | null | undefined;
    const extensions = card?.capabilities?.extensions;
    agent.metered = !(Array.isArray(extensions) && extensions.some((one: { uri?: unknown } | null) => one?.uri === OWN_LOGIN));
  },
  TASK_UPDATED: tasks,
  WORKSPACE_HEARTBEAT: tasks,
  MODEL_WAITING: (_, agent, payload, at) => {
    const until = at + number(payload['seconds'], 0) * 1000;
    if (until > (agent.waits?.until ?? 0)) agent.waits = { for: text(payload['provider']), until };
  },
  AGENT_MESSAGE: said,
  A2A_RESPONSE: said,
  WORKSPACE_PROVISION_FAILED: (_, agent, payload) => {
    agent.error = why(payload['error']);
  },
  WORKSPACE_DEGRADED: (_, agent, payload) => {
    agent.error = text(payload['sample_error']);
  },
  WORKSPACE_OFFLINE: (_, agent) => {
    agent.active_tasks = 0;
    agent.current_task = '';
  },
  WORKSPACE_UPDATED: (org, agent, payload) => {
    const changed = payload['changed'];
    if (changed && typeof changed === 'object') {
      for (const [name, value] of Object.entries(changed as object)) {
        if (CHANGEABLE.has(name)) Object.assign(agent, { [name]: value });
      }
      org.shape++;
    }
  },
  WORKSPACE_QUARANTINED: (_, agent) => {
    agent.quarantined = true;
  },
  WORKSPACE_RELEASED: (_, agent) => {
    agent.quarantined = false;
  },
  WORKSPACE_MOVED: (org, agent, payload) => under(org, agent, payload['new_parent_id']),
  WORKSPACE_REMOVED: (org, agent) => {
    org.agents.delete(agent.id);
    org.shape++;
    dropWaiting(org, agent.id);
    org.beams = org.beams.filter((beam) => beam.from !== agent.id && beam.to !== agent.id);
  },
  ACTIVITY_LOGGED: (org, agent, payload, at) => {
    const from = text(payload['source_id']);
    if (text(payload['activity_type']) === 'a2a_receive' && from && from !== agent.id) {
      beam(org, from, agent.id, at);
    }
  },
  TASK_STARTED: (org, _, payload, at) => beam(org, text(payload['caller_id']), text(payload['target_id']), at),
  TASK_ENDED: (org, _, payload, at) => beam(org, text(payload['target_id']), text(payload['caller_id']), at),
  DELEGATION_SENT: (org, agent, payload, at) => beam(org, agent.id, text(payload['target_id']), at),
  DELEGATION_COMPLETE: (org, agent, payload, at) => beam(org, text(payload['target_id']), agent.id, at),
};

const CHANGEABLE = new Set(['name', 'role', 'tier', 'runtime', 'x', 'y', 'collapsed', 'parent_id']);

/** Of a pair only the newest; the oldest go when there are too many. */
function beam(org: Organisation, from: string, to: string, at: number): void {
  if (!org.agents.has(from) || !org.agents.has(to)) return;
  const same = (other: Beam) => other.from === from && other.to === to;
  org.beams = [...org.beams.filter((other) => !same(other) && at - other.at < BEAM_MILLIS), { from, to, at }].slice(-BEAMS_MAX);
}

/** Forgets beams that have faded; says whether there are any left. */
export function fade(org: Organisation, now: number): boolean {
  if (org.beams.some((beam) => now - beam.at >= BEAM_MILLIS)) {
    org.beams = org.beams.filter((beam) => now - beam.at < BEAM_MILLIS);
  }
  return org.beams.length > 0;
}

/** How an approval ended; the newest few hundred are remembered. */
function settle(org: Organisation, { event, payload, workspace_id: workspaceId }: Envelope, at: number): void {
  if (event !== 'APPROVAL_APPROVED' && event !== 'APPROVAL_DENIED') return;
  const id = text(payload['approval_id']);
  org.settled.delete(id);
  org.settled.set(id, { approved: event === 'APPROVAL_APPROVED', by: isMissed(payload) ? '' : decider(payload), at, workspaceId });
  if (org.settled.size > SETTLED_MAX) org.settled.delete(org.settled.keys().next().value!);
}

/** Worth a line under "Lately"; most events are not. */
function happeningOf(org: Organisation, event: Envelope, at: number): Happening | null {
  const say = TELLING[event.event];
  const agent = org.agents.get(event.workspace_id);
  const name = clip(agent?.name ?? text(event.payload['name']), 60);
  if (!say || !name) return null;
  const target = clip(org.agents.get(text(event.payload['target_id']))?.name ?? 'another', 60);
  const [mood, line] = say(event.payload, name, target);
  if (!line) return null;
  const missed = isMissed(event.payload) ? { missed: text(event.payload['approval_id']) } : {};
  return { key: `${event.event}:${event.workspace_id}:${event.seq ?? at}`, workspaceId: event.workspace_id, text: line, mood, at, ...missed };
}

const TELLING: Record<string, (payload: Record<string, unknown>, name: string, target: string) => [Mood, string]> = {
  DELEGATION_SENT: (payload, name, target) => ['working', `${name} delegated to ${target}: ${clip(text(payload['task_preview']), 80)}`],
  DELEGATION_COMPLETE: (payload, name, target) => ['idle', `${target} answered ${name}: ${clip(text(payload['response_preview']), 80)}`],
  DELEGATION_FAILED: (payload, name, target) =>
    payload['outcome'] === 'unknown'
      ? ['doubt', `Outcome unknown: what ${name} delegated to ${target}`]
      : ['failed', `${target} could not do what ${name} asked: ${clip(text(payload['error']), 80)}`],
  WORKSPACE_PROVISION_FAILED: (payload, name) => ['failed', `${name} cannot start: ${clip(why(payload['error']), 100)}`],
  WORKSPACE_OFFLINE: (_, name) => ['away', `${name} is offline`],
  WORKSPACE_ONLINE: (payload, name) => ['idle', payload['url'] || payload['recovered_from'] ? '' : `${name} is online`],
  WORKSPACE_PAUSED: (_, name) => ['paused', `${name} was paused`],
  WORKSPACE_HIBERNATED: (_, name) => ['asleep', `${name} was hibernated`],
  WORKSPACE_QUARANTINED: (_, name) => ['paused', `${name} was quarantined`],
  WORKSPACE_RELEASED: (_, name) => ['idle', `${name} was released`],
  CRON_EXECUTED: (payload, name) => ['failed', payload['status'] === 'error' ? `${name} failed its schedule: ${clip(text(payload['schedule_name']), 60)}` : ''],
  CRON_SKIPPED: (payload, name) => ['idle', `Schedule “${clip(text(payload['schedule_name']), 60)}” of ${name} was skipped: ${clip(text(payload['reason']), 80)}`],
  WORKSPACE_MOVED: (_, name) => ['idle', `${name} moved to another team`],
  WORKSPACE_REMOVED: (_, name) => ['idle', `${name} was deleted`],
  APPROVAL_APPROVED: (payload, name) => ['idle', `${decider(payload)} approved: ${clip(text(payload['action']) || `a request of ${name}`, 80)}`],
  APPROVAL_DENIED: (payload, name) => ['idle', isMissed(payload) ? `Approval of ${name} expired` : `${decider(payload)} denied: ${clip(text(payload['action']) || `a request of ${name}`, 80)}`],
};

/** Time decided, for nobody did. */
const isMissed = (payload: Record<string, unknown>): boolean => payload['decided_with'] === 'expiry';

/** `human` is what is kept of somebody who gave no name. */
function decider(payload: Record<string, unknown>): string {
  const name = clip(text(payload['decided_by']), 60);
  return !name || name === 'human' ? 'A person' : name;
}

/** Why something failed, without the words that only say that it did. */
export const why = (error: unknown): string => text(error).replace(/^(workspace start failed: |preflight failed: )+/, '');

/** What is around an answer of A2A 1.0. */
const WRAPPERS = ['task', 'message', 'statusUpdate', 'artifactUpdate'];

/** In these a task's question or reason comes before what it said on the way. */
const STATUS_FIRST = /(input|auth)[-_]required$|failed$|rejected$/i;

/** The words in an A2A answer of either version: a message, a task with what it made, or an update of one. */
export function answerText(body: unknown): string {
  const root = body as { result?: unknown; error?: { message?: unknown } } | null | undefined;
  if (!root || typeof root !== 'object') return '';
  if (root.error) return text(root.error.message);
  const answer = (root.result ?? root) as Record<string, unknown>;
  if (!answer || typeof answer !== 'object') return '';
  const inside = WRAPPERS.map((name) => answer[name]).find((told) => told && typeof told === 'object');
  const result = (inside ?? answer) as Record<string, unknown>;
  const artifacts = Array.isArray(result['artifacts']) ? (result['artifacts'] as Record<string, unknown>[]) : [];
  const made = artifacts.map((artifact) => piecesText(artifact?.['parts'])).filter((part) => part).join('\n');
  const status = result['status'] as { state?: unknown; message?: { parts?: unknown } } | undefined;
  const said = partsText(status?.message?.parts);
  if (said && made && STATUS_FIRST.test(text(status?.state))) return `${said}\n${made}`;
  return partsText(result['parts']) || made || piecesText((result['artifact'] as Record<string, unknown>)?.['parts']) || said;
}

export function partsText(parts: unknown, between = '\n'): string {
  if (!Array.isArray(parts)) return '';
  return parts.map((part: Record<string, unknown>) => text(part?.['text'])).filter((part) => part).join(between);
}

/** Of an artifact, whose parts are pieces of one text. */
const piecesText = (parts: unknown): string => partsText(parts, '');

/** How an agent is, as people see it: what needs them first. */
export function moodOf(org: Organisation, agent: Agent): Mood {
  const waits = org.waitsOf.get(agent.id);
  if (waits?.some((row) => standsStill(row) && org.answers.get(row.id)?.state !== 'decided')) return 'needs';
  if (agent.status === 'failed' || agent.status === 'degraded') return 'failed';
  if (agent.status === 'paused') return 'paused';
  if (agent.status === 'hibernated') return 'asleep';
  if (agent.status !== 'online') return 'away';
  if (waits?.some((row) => row.kind === 'outcome_unknown')) return 'doubt';
  return agent.active_tasks > 0 || agent.current_task ? 'working' : 'idle';
}

export interface Tree {
  roots: Agent[];
  childrenOf: Map<string, Agent[]>;
}

/**
 * Who is under whom, siblings in the order they are drawn in. Somebody whose parent is not there is a root; a circle, which the
 * platform refuses, is cut at its oldest member.
 */
export function treeOf(agents: Map<string, Agent>): Tree {
  const roots: Agent[] = [];
  const childrenOf = new Map<string, Agent[]>();
  const rooted = rootedIn(agents);
  for (const agent of agents.values()) {
    const parent = agent.parent_id;
    if (!parent || !agents.has(parent) || rooted(agent)) {
      roots.push(agent);
      continue;
    }
    const siblings = childrenOf.get(parent);
    if (siblings) siblings.push(agent);
    else childrenOf.set(parent, [agent]);
  }
  roots.sort(inPlace);
  for (const children of childrenOf.values()) children.sort(inPlace);
  return { roots, childrenOf };
}

/** Says whether an agent is the oldest of a circle of parents. */
function rootedIn(agents: Map<string, Agent>): (agent: Agent) => boolean {
  const safe = new Set<string>();
  return (agent) => {
    const path: Agent[] = [];
    const seen = new Set<string>();
    let at: Agent | undefined = agent;
    while (at && !safe.has(at.id) && !seen.has(at.id)) {
      path.push(at);
      seen.add(at.id);
      at = at.parent_id ? agents.get(at.parent_id) : undefined;
    }
    if (!at || safe.has(at.id)) {
      path.forEach((one) => safe.add(one.id));
      return false;
    }
    const circle = path.slice(path.indexOf(at));
    return circle.reduce((oldest, one) => (one.order < oldest.order ? one : oldest)) === agent;
  };
}

/** Two places in the same row of the canvas differ by less than half an agent's height there (130). */
const ROW = 65;

/** Reading order of the places people chose; those nobody placed follow, the oldest first. */
export function inPlace(a: Agent, b: Agent): number {
  const placedA = a.x !== 0 || a.y !== 0;
  const placedB = b.x !== 0 || b.y !== 0;
  if (placedA !== placedB) return placedA ? -1 : 1;
  return Math.round(a.y / ROW) - Math.round(b.y / ROW) || a.x - b.x || a.order - b.order;
}

/** It and all below it, itself first. */
export function branchOf(tree: Tree, agent: Agent): Agent[] {
  const branch = [agent];
  for (let i = 0; i < branch.length; i++) branch.push(...(tree.childrenOf.get(branch[i]!.id) ?? []));
  return branch;
}

/** With whom somebody under that parent may talk: siblings, parent and children (docs/wire/README.md, decision 1). */
export function peersUnder(agents: Map<string, Agent>, agent: Agent, parent: string | null): Set<string> {
  const peers = new Set<string>();
  for (const other of agents.values()) {
    if (other.id === agent.id) continue;
    if ((other.parent_id ?? null) === parent || other.id === parent || other.parent_id === agent.id) peers.add(other.id);
  }
  return peers;
}

/** What a move would change, in one sentence. */
export function moveSays(agents: Map<string, Agent>, agent: Agent, parent: string | null): string {
  const before = peersUnder(agents, agent, agent.parent_id ?? null);
  const after = peersUnder(agents, agent, parent);
  const gained = [...after].filter((id) => !before.has(id)).length;
  const lost = [...before].filter((id) => !after.has(id)).length;
  const says = [gained ? `may then talk to ${gained} more` : '', lost ? `no longer to ${lost}` : ''].filter((part) => part).join(', ');
  return says || 'may talk to the same agents as now';
}

/** Where siblings must be so that they are drawn in this order; only those that have to change. */
export function placesFor(order: Agent[], corner: { x: number; y: number }): { id: string; x: number; y: number }[] {
  const columns = Math.max(1, Math.ceil(Math.sqrt(order.length)));
  return order
    .map((agent, i) => ({
      agent,
      id: agent.id,
      x: corner.x + 16 + (i % columns) * 254,
      y: corner.y + 130 + Math.floor(i / columns) * 144,
    }))
    .filter((place) => place.agent.x !== place.x || place.agent.y !== place.y)
    .map(({ id, x, y }) => ({ id, x, y }));
}

export interface Sum {
  agents: number;
  working: number;
  needs: number;
  failed: number;
  spend: number;
  /** How many of them have a login of their own, whose cost is in no sum. */
  unmetered: number;
}

/** "cost > $1": what a month has cost so far. */
const COST = /\bcost\s*([<>])\s*\$?(\d+(?:\.\d+)?)/g;

/** "owner Kim", "role: writer", "status paused": one word, or several in quotes. */
const NAMED = /\b(owner|role|status)(?:\s*[:=]\s*|\s+)(?:"([^"]*)"|([^\s·"]+))/g;

/** Who answers for an agent, in small letters, as far as anybody said; empty for nobody. */
export type OwnerOf = (agent: Agent) => string;

interface Search {
  words: string[];
  named: { field: string; value: string }[];
  costs: { more: boolean; cents: number }[];
}

let parsed: { query: string; search: Search } = { query: '', search: { words: [], named: [], costs: [] } };

function searchOf(query: string): Search {
  if (parsed.query !== query) {
    const costs: Search['costs'] = [];
    const rest = query.toLocaleLowerCase().replace(COST, (_, sign: string, amount: string) => {
      costs.push({ more: sign === '>', cents: Number(amount) * 100 });
      return ' ';
    });
    const named: Search['named'] = [];
    const words = rest.replace(NAMED, (_, field: string, quoted: string | undefined, plain: string | undefined) => {
      named.push({ field, value: (quoted ?? plain ?? '').trim() });
      return ' ';
    });
    parsed = { query, search: { named, words: words.split(/[\s·]+/).filter((word) => word), costs } };
  }
  return parsed.search;
}

/** What is searched in, in small letters, as long as it is the same. */
const searched = new WeakMap<Agent, { of: string; text: string }>();

function searchedIn(agent: Agent): string {
  const of = `${agent.name} ${agent.role ?? ''} ${agent.current_task} ${agent.runtime} ${agent.status}`;
  const known = searched.get(agent);
  if (known?.of === of) return known.text;
  const text = of.toLocaleLowerCase();
  searched.set(agent, { of, text });
  return text;
}

/** Whether somebody is searched for by who answers for them: that is read only then. */
export const asksForOwners = (query: string): boolean => searchOf(query).named.some(({ field }) => field === 'owner');

const isNamed = (agent: Agent, { field, value }: Search['named'][number], mood: Mood, ownerOf: OwnerOf): boolean => {
  if (field === 'owner') return ownerOf(agent).includes(value);
  if (field === 'role') return (agent.role ?? '').toLocaleLowerCase().includes(value);
  return [agent.status, statusWord(agent.status), MOODS[mood].word].some((said) => said.toLocaleLowerCase().startsWith(value));
};

/** Whether an agent is what was searched for: every word must be in its name, role, task, or be how it is; what is named must be so, and what it cost so much. */
export function matches(org: Organisation, agent: Agent, query: string, mood = moodOf(org, agent), ownerOf: OwnerOf = () => ''): boolean {
  const { words, named, costs } = searchOf(query);
  if (!named.every((one) => isNamed(agent, one, mood, ownerOf))) return false;
  const text = searchedIn(agent);
  return words.every((word) => text.includes(word) || mood.includes(word)) && costs.every(({ more, cents }) => (more ? agent.monthly_spend > cents : agent.monthly_spend < cents));
}
