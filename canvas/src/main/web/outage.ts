import { html, nothing, type TemplateResult } from 'lit';
import { call } from './api';
import type { Agent } from './model';
import { seesAll } from './rights';
import { store } from './store';
import { look } from './view';
import { MOODS, clip, clock, count } from './words';

/** Agents that have been offline for longer than a restart takes, and whether the platform still restarts them by itself. */

/** An agent that is away for less is being restarted. */
const OFFLINE_MILLIS = 30_000;
const READ_MILLIS = 15_000;
/** One replica knows of a freeze, and each reading asks any of them. */
const FROZEN_MILLIS = 60_000;
const NAMED = 3;

let readAt = -Infinity;
let frozenAt = -Infinity;

interface Outage {
  agents: Agent[];
  /** Of the first of them, in ms; null while unknown. */
  since: number | null;
}

let taken: { drawing: number; outage: Outage } | null = null;

/** Counted once for each drawing. */
export function outage(): Outage {
  if (taken?.drawing === store.drawing) return taken.outage;
  const agents = [...store.org.agents.values()].filter((agent) => agent.status === 'offline' && (agent.since === null || store.now - agent.since >= OFFLINE_MILLIS));
  const known = agents.map((agent) => agent.since).filter((since) => since !== null);
  taken = { drawing: store.drawing, outage: { agents, since: known.length ? Math.min(...known) : null } };
  if (agents.length) freshen();
  return taken.outage;
}

const isFrozen = (): boolean => !store.past && Date.now() - frozenAt < FROZEN_MILLIS;

function freshen(): void {
  if (store.past || store.connection.kind !== 'live' || !seesAll() || Date.now() - readAt < READ_MILLIS) return;
  readAt = Date.now();
  void call<{ subsystems?: Record<string, { ok: boolean } | undefined> }>('GET', '/admin/liveness').then(
    ({ subsystems }) => {
      if (subsystems?.['registry.restart-freeze']?.ok === false) frozenAt = Date.now();
      store.changed();
    },
    () => {}, // the system screen says so
  );
}

export const showOffline = (): void => look({ screen: 'list', query: 'status offline', selected: null });

/** Above what waits for a person: nothing was asked, and nobody answers. */
export function drawOutage(): TemplateResult | typeof nothing {
  const { agents, since } = outage();
  if (!agents.length) return nothing;
  const names = agents.length <= NAMED ? agents.map((agent) => clip(agent.name, 40)).join(', ') : '';
  return html`<article class="decide outage mood-failed" role="status">
    <p class="about"><span class="glyph" aria-hidden="true">${MOODS.failed.glyph}</span>
      <span class="who">${count(agents.length, 'agent')} offline${since === null ? '' : ` since ${clock(since, store.now)}`}</span>
      <span class="what" dir="auto">${[names, isFrozen() ? 'Automatic restarts are frozen until an agent is heard from again. Restart an agent yourself to try it.' : ''].filter((part) => part).join('. ')}</span></p>
    <div class="buttons"><button @click=${showOffline}>Show offline agents</button></div>
  </article>`;
}
