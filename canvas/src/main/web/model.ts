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
  monthly_spend: number;
  budget_limit: number | null;
}

/** A workspace, and what was heard of it since. */
export interface Agent extends Workspace {
  /** In which order the platform listed it: the oldest first. */
  order: number;
  /** Since when it does what it does, in ms; null while unknown. */
  since: number | null;
  error: string;
  lastWords: string;
}

export interface Approval {
  id: string;
  workspaceId: string;
  action: string;
  reason: string;
  at: number;
  /** What became of the decision: made here, or by another while it can be taken back. */
  state: 'open' | 'sending' | 'refused' | 'decided';
  /** When a decision takes effect that can be taken back until then; 0 while there is none. */
  effectAt: number;
  decision: string;
  /** What else the agent told of it: the tool's real arguments. */
  context: unknown;
  note: string;
}

/** Work whose answer was lost: it may or may not have happened. */
export interface Doubt {
  id: string;
  workspaceId: string;
  targetId: string;
  text: string;
  at: number;
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
  | { kind: 'away'; since: number }
  | { kind: 'locked'; note: string };

export interface Organisation {
  agents: Map<string, Agent>;
  approvals: Map<string, Approval>;
  doubts: Map<string, Doubt>;
  beams: Beam[];
  lately: Happening[];
  /** When people decided, newest last; of the last few hundred events. */
  decisions: number[];
  /** Of the newest recorded event that is in here. */
  seq: number;
  /** When it last heard anything, in ms. */
  heardAt: number;
}

export const nobody = (): Organisation => ({
  agents: new Map(),
  approvals: new Map(),
  doubts: new Map(),
  beams: [],
  lately: [],
  decisions: [],
  seq: 0,
  heardAt: 0,
});
