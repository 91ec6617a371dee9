import type { Mood } from './words';

/** A workspace as `GET /workspaces` has it; only what the page reads. */
export interface Workspace {
  id: string;
  name: string;
  role: string | null;
  tier: number;
  status: string;
  parent_id: string | null;
  active_tasks: number;
  runtime: string;
  x: number;
  y: number;
  collapsed: boolean;
  current_task: string;
  last_sample_error: string;
  /** In US cents, less than one too: the larger of what the agent reported and what the calls of its models came to. */
  monthly_spend: number;
  budget_limit: number | null;
  /** False where its program has a login of its own: what it costs nobody knows. */
  metered?: boolean;
  /** Of a root: whose it and all below it are. */
  tenant?: string;
  /** Cut off by a person: nothing reaches it, nothing comes from it. */
  quarantined?: boolean;
}

/** A workspace, and what was heard of it since. */
export interface Agent extends Workspace {
  /** In which order the platform listed it: the oldest first. */
  order: number;
  /** Of {@link Workspace.monthly_spend}: what the agent itself told of, in cents; what models cost is beside it. */
  reported: number;
  /** Whether some of its calls have no known price. */
  unpriced: boolean;
  /** Since when it does what it does, in ms; null while unknown. */
  since: number | null;
  error: string;
  lastWords: string;
  /** Until when the provider of its model makes it wait, in ms, and which one that is; null when none does. */
  waits: { for: string; until: number } | null;
}

/** What waits for a person: a row of `GET /inbox`. Kinds that nobody knows here may come. */
export interface Waiting {
  id: string;
  kind: string;
  part: 'decide' | 'fix';
  workspace_id: string;
  workspace_name: string | null;
  text: string;
  since: string;
  expires_at: string | null;
  position: number;
  dismissible: boolean;
  /** What cannot go on until it is done, as of when it was read; null or absent where nobody says. */
  behind?: { tasks: number; works: number } | null;
  details: Record<string, unknown>;
}

/** What a person did here about a row, until the platform says that it waits no more. */
export interface Answer {
  state: 'sending' | 'refused' | 'decided';
  /** Of the row when it was answered: one that changed since asks anew. */
  position: number;
  /** What it came to, in words. */
  said: string;
  /** When that takes effect, where it can be taken back until then; else 0. */
  effectAt: number;
  note: string;
}

/** How an approval ended, as the platform told. */
export interface Settled {
  approved: boolean;
  /** Who decided; empty where time did. */
  by: string;
  at: number;
  /** Whose it was. */
  workspaceId: string;
}

export interface Beam {
  from: string;
  to: string;
  at: number;
}

export interface Happening {
  key: string;
  workspaceId: string;
  text: string;
  mood: Mood;
  at: number;
  /** The approval it is of, where nobody decided that in time. */
  missed?: string;
}

/** One message of `/ws`. */
export interface Envelope {
  event: string;
  workspace_id: string;
  timestamp: string;
  payload: Record<string, unknown>;
  seq?: number;
}

/** A row of `GET /events`. */
export interface LoggedEvent {
  event_type: string;
  workspace_id: string | null;
  payload: Record<string, unknown>;
  created_at: string;
  seq: number;
}

export type Connection =
  | { kind: 'loading' }
  | { kind: 'live' }
  /** `lostAt`: since when it is away; `since`: of when is what is seen; `why`: what the platform says, empty where it is not reached. */
  | { kind: 'away'; since: number; lostAt: number; why: string }
  | { kind: 'locked'; note: string };

/** What the calls of an agent's models came to this month. */
export interface Metered {
  cents: number;
  unpriced: boolean;
}

export interface Organisation {
  agents: Map<string, Agent>;
  /** By the agent; empty until it was read. */
  metered: Map<string, Metered>;
  /** Another number whenever somebody came, left, moved or was placed. */
  shape: number;
  /** Everything that waits for a person, by the id of its row; the longest unchanged first. */
  waiting: Map<string, Waiting>;
  /** The same, by the agent it is of. */
  waitsOf: Map<string, Waiting[]>;
  /** What was done here about rows that wait still, by their id. */
  answers: Map<string, Answer>;
  /** Approvals that ended, of the last few hundred events, by their id; the newest last. */
  settled: Map<string, Settled>;
  beams: Beam[];
  lately: Happening[];
  /** Of the newest recorded event that is in here. */
  seq: number;
  /** When it last heard anything, in ms. */
  heardAt: number;
}

export const nobody = (): Organisation => ({
  agents: new Map(),
  metered: new Map(),
  shape: 0,
  waiting: new Map(),
  waitsOf: new Map(),
  answers: new Map(),
  settled: new Map(),
  beams: [],
  lately: [],
  seq: 0,
  heardAt: 0,
});
