import { html, nothing, type TemplateResult } from 'lit';
import { call, says } from './api';
import type { Agent } from './model';
import { read } from './readings';
import './record.css';
import { store } from './store';
import { Part, look } from './view';
import { clip, clock, count, exactly } from './words';

/** Who did what, as the platform wrote it down itself (docs/wire/audit.md): of one agent, and of all. */

export interface Entry {
  at: string;
  verb: string;
  /** Null where `detail.keys` says of which. */
  object?: string | null;
  workspace_id: string | null;
  verdict: string;
  reason?: string;
  actor: { kind: string; name: string; address?: string | null };
  detail?: Record<string, unknown> | null;
}

const PAGE = 50;
const OF_ONE = 30;
/** However far somebody reads back, the list ends here; the command exports all of it. */
const LISTED_MAX = 1_000;

/** By what is before the point of a verb; what nobody knows here is said as it is. */
const THINGS: Record<string, (object: string) => string> = {
  token: () => 'an API token',
  org_token: () => 'an API token of the organization',
  organisation_key: () => 'the signing key of the organization',
  session: () => 'a session',
  secret: (key) => `the secret ${key}`,
  global_secret: (key) => `the organization secret ${key}`,
  invitation: () => 'an invitation',
  config: () => 'the settings',
  file: (path) => `the file ${path}`,
  work: () => 'a run',
  delegation: () => 'a delegation',
  schedule: () => 'a schedule',
};

const DONE: Record<string, string> = { created: 'created', limited: 'limited', rotated: 'rotated', admitted: 'approved', removed: 'deleted', deleted: 'deleted', quarantined: 'quarantined', restarted: 'restarted' };
const DECIDED: Record<string, string> = { decided: 'decided', retracted: 'took back the decision on', approved: 'approved', denied: 'denied', changed: 'changed' };

/** What it was done to; a reading of several secrets names them in its detail alone. */
function objectOf({ object, detail }: Pick<Entry, 'object' | 'detail'>): string {
  const keys = detail?.['keys'];
  return object ?? (Array.isArray(keys) ? keys.join(', ') : typeof keys === 'string' ? keys : '');
}

/** "changed the secret OPENAI_API_KEY of Writer", "paused Writer". @param whose the agent's name, empty where it is plain */
export function didWords(entry: Pick<Entry, 'verb' | 'object' | 'detail'>, whose: string): string {
  const verb = String(entry.verb ?? '');
  const object = objectOf(entry);
  if (verb === 'request.refused') return `was refused: ${clip(object, 100)}`;
  const [thing = '', act = ''] = verb.split('.');
  const did = DONE[act] ?? act.replaceAll('_', ' ');
  if (thing === 'workspace') return `${act === 'deleted' ? 'erased' : did} ${whose || 'it'}`;
  if (thing === 'approval') return act === 'created' ? 'asked for an approval' : `${DECIDED[act] ?? did} what ${whose || 'it'} asked`;
  return `${did} ${THINGS[thing]?.(clip(object, 100)) ?? `${thing.replaceAll('_', ' ')} ${clip(object, 100)}`}${whose ? ` of ${whose}` : ''}`;
}

export function actorWords({ kind, name }: Entry['actor'], nameOf: (id: string) => string | undefined): string {
  if (kind === 'workspace' || kind === 'registration') return clip(nameOf(name) ?? 'An agent', 60);
  if (kind === 'platform') return 'The platform';
  if (kind === 'anyone') return 'Somebody';
  if (kind === 'administrator') return name === 'session' ? 'Administrator (session)' : name === 'admin-token' ? 'Administrator (ADMIN_TOKEN)' : clip(name, 60);
  return clip(name, 60) || kind;
}

const nameOf = (id: string): string | undefined => store.live.agents.get(id)?.name;

function drawEntry(entry: Entry, withAgent: boolean): TemplateResult {
  const refused = entry.verdict === 'refused';
  const at = Date.parse(entry.at);
  const agent = withAgent && entry.workspace_id ? entry.workspace_id : '';
  const whose = agent ? clip(nameOf(agent) ?? 'Deleted agent', 60) : '';
  const detail = entry.detail && Object.keys(entry.detail).length ? JSON.stringify(entry.detail, null, 1).slice(0, 4_000) : '';
  const line = html`<b dir="auto">${actorWords(entry.actor, nameOf)}</b> <span dir="auto">${didWords(entry, whose)}</span>${refused && entry.reason ? html`: <span dir="auto">${clip(entry.reason, 160)}</span>` : nothing}`;
  return html`<li class=${refused ? 'refusal' : ''}><details><summary><span class="line">${line}</span> <span class="time" title=${exactly(at)}>${clock(at, Date.now())}</span></summary>
    <p class="none">${[entry.verb, entry.actor.kind === 'anyone' ? 'nobody was asked for a key' : `${entry.actor.kind} ${entry.actor.name}`, entry.actor.address ? `from ${entry.actor.address}` : ''].filter((part) => part).map((part) => clip(part, 120)).join(' · ')}</p>
    ${detail ? html`<pre dir="auto">${detail}</pre>` : nothing}
    ${agent && store.live.agents.has(agent) ? html`<button class="inline" @click=${() => look({ selected: agent, talkTo: agent })}>Open ${clip(nameOf(agent) ?? '', 40)}</button>` : nothing}</details></li>`;
}

/** Of one agent, in its tab. */
export function drawRecordOf(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}/audit?limit=${OF_ONE}`;
  const reading = read<{ entries: Entry[]; total: number }>(path);
  const entries = reading.value?.entries;
  return html`<section><h3>Audit log</h3>
    ${Array.isArray(entries) ? (entries.length ? html`<ul class="rows record">${entries.map((one) => drawEntry(one, false))}</ul>` : html`<p class="none">Nothing yet.</p>`) : html`<p class="none">${reading.note}</p>`}
  </section>`;
}

/** It stands below what the platform tells of itself, which is drawn first. */
export const toRecord = (): void => void requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector('who-did-what')?.scrollIntoView({ block: 'start' })));

const KINDS: [string, string][] = [['', 'everything'], ['request', 'refusals'], ['approval', 'approvals'], ['secret', 'secrets'], ['token', 'API tokens'], ['workspace', 'agents'], ['config', 'settings'], ['file', 'files'], ['schedule', 'schedules'], ['session', 'sessions']];

/** Of all: the newest first, and further back page by page. */
class RecordOfAll extends Part {
  private entries: Entry[] = [];
  private verb = '';
  private cursor: string | null = null;
  private note = 'Reading…';
  private waits = 0;
  private reading = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.read('');
  }

  override render(): TemplateResult {
    return html`<section aria-label="Audit log"><div class="record-head"><h3>Audit log</h3>
        <label>Show <select @change=${(event: Event) => { this.verb = (event.target as HTMLSelectElement).value; void this.read(''); }}>${KINDS.map(([verb, words]) => html`<option value=${verb} .selected=${verb === this.verb}>${words}</option>`)}</select></label>
        <button @click=${() => void this.read('')}>Refresh</button></div>
      ${this.note ? html`<p class="none" role="status">${this.note}</p>` : nothing}
      ${!this.note && !this.entries.length ? html`<p class="none">No entries.</p>` : nothing}
      <ul class="rows record">${this.entries.map((one) => drawEntry(one, true))}</ul>
      ${this.waits ? html`<p class="none">${count(this.waits, 'line')} not linked yet.</p>` : nothing}
      ${this.cursor && this.entries.length < LISTED_MAX ? html`<button @click=${() => void this.read(this.cursor!)}>Load more</button>` : nothing}
      <p class="none">Each line is linked to the one before it: <code>./molecule audit verify</code> checks that none was changed.</p></section>`;
  }

  private async read(before: string): Promise<void> {
    const mine = ++this.reading;
    try {
      const page = await call<{ entries: Entry[]; cursor: string | null; chain?: { waiting?: number } }>('GET', `/audit?limit=${PAGE}${this.verb ? `&verb=${this.verb}` : ''}${before ? `&before=${encodeURIComponent(before)}` : ''}`);
      if (mine !== this.reading) return;
      this.entries = before ? [...this.entries, ...page.entries].slice(0, LISTED_MAX) : page.entries;
      this.cursor = page.cursor;
      this.waits = page.chain?.waiting ?? 0;
      this.note = '';
    } catch (failure) {
      if (mine !== this.reading) return;
      if (!before) this.entries = [];
      this.note = says(failure);
    }
    this.requestUpdate();
  }
}

customElements.define('who-did-what', RecordOfAll);
