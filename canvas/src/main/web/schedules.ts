import { html, nothing, type TemplateResult } from 'lit';
import { call } from './api';
import { KINDS, whenOf, whenWords, type When } from './clockwords';
import { change, rows, submitted } from './forms';
import type { Agent, Envelope } from './model';
import { forget, read } from './readings';
import './schedules.css';
import { store } from './store';
import { look } from './view';
import { MOODS, clip, clock, elapsed } from './words';

/** What agents are told by the clock: what comes next, on Home, and an agent's own, in its settings. */

interface Schedule extends When {
  id: string;
  name: string;
  prompt: string;
  enabled: boolean;
  last_run_at: string | null;
  next_run_at: string | null;
  last_status: string | null;
  last_error: string | null;
  source: string;
}

/** A row of `GET …/history`. */
interface Tick {
  timestamp: string;
  duration_ms: number | null;
  status: string;
  error_detail: string | null;
}

/** A row of `GET /admin/schedules/health`. */
interface Health {
  workspace_id: string;
  workspace_name: string | null;
  schedule_id: string;
  schedule_name: string;
  cron_expr: string;
  expected_next_run: string | null;
  status: string;
  enabled: boolean;
  last_status: string | null;
}

const COMING = 4;
const READ_MILLIS = 60_000;
/** After a tick was told of, or a change was made here. */
const SOON_MILLIS = 1_500;
const HISTORY = 20;
const PROMPT_MAX = 60_000;
/** What has no name is called by its first words. */
const NAME_MAX = 40;
const STATUSES: Record<string, string> = { queued: 'waits for it', ok: 'done', error: 'failed', skipped: 'left out', missed: 'missed' };
const BAD = new Set(['error', 'missed']);
const TICKS = new Set(['CRON_EXECUTED', 'CRON_SKIPPED']);

/** What comes next of all schedules; read when a tick was told of, and once a minute while the page is looked at. */
class Coming {
  private next: Health[] = [];
  private readAt = -Infinity;
  private reading = false;

  constructor() {
    store.tap((event) => this.hear(event));
  }

  /** May be called at every drawing. */
  rows(): Health[] {
    if (!this.reading && !document.hidden && store.connection.kind === 'live' && performance.now() - this.readAt > READ_MILLIS) void this.read();
    return this.next.filter((one) => one.enabled && one.expected_next_run && store.live.agents.has(one.workspace_id));
  }

  soon(): void {
    this.readAt = Math.min(this.readAt, performance.now() - READ_MILLIS + SOON_MILLIS);
  }

  private hear({ event, workspace_id: id }: Envelope): void {
    if (!TICKS.has(event)) return;
    forget(`/workspaces/${id}/schedules`);
    this.soon();
  }

  private async read(): Promise<void> {
    this.reading = true;
    this.next = await call<Health[]>('GET', '/admin/schedules/health').then((all) => (Array.isArray(all) ? all : []), () => this.next); // who may not read it sees none
    this.readAt = performance.now();
    this.reading = false;
    store.changed();
  }
}

const coming = new Coming();

/** On Home: what begins by itself next; nothing where nothing does. */
export function drawComing(now: number): TemplateResult | typeof nothing {
  const all = store.past ? [] : coming.rows();
  if (!all.length) return nothing;
  return html`
    <section aria-labelledby="coming">
      <h2 id="coming">Scheduled <span>${all.length}</span></h2>
      ${all.slice(0, COMING).map((one) => {
        const bad = BAD.has(one.last_status ?? '');
        return html`<button class="entry ${bad ? 'mood-failed' : ''}" @click=${() => openClock(one.workspace_id)}>
          <span class="glyph" aria-hidden="true">${bad ? MOODS.failed.glyph : '◷'}</span>
          <span class="who" dir="auto">${clip(store.live.agents.get(one.workspace_id)?.name ?? one.workspace_name ?? '', 60)}</span>
          <span class="time">${clock(Date.parse(one.expected_next_run!), now)}</span>
          <span class="what" dir="auto">${clip(one.schedule_name, 60)} · ${clip(whenWords(one), 40)}${bad ? `; last time it ${one.last_status === 'missed' ? 'was missed' : 'failed'}` : ''}</span>
        </button>`;
      })}
      ${all.length > COMING ? html`<p class="none">and ${all.length - COMING} more</p>` : nothing}
    </section>`;
}

/** Its schedules are read and drawn first: then they are brought into the window. */
function openClock(id: string): void {
  look({ selected: id, talkTo: id, tab: 'about' });
  requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector('.by-clock')?.scrollIntoView({ block: 'start' })));
}

/** Of which what became of them is looked at. */
const opened = new Set<string>();

/** What the form asks for now, and of which agent. */
let chosen = { agentId: '', kind: 'day' };
const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

export function drawSchedules(agent: Agent): TemplateResult {
  const path = `/workspaces/${agent.id}/schedules`;
  return html`<section class="by-clock"><h3>Schedules</h3>
    ${rows(read<Schedule[]>(path), 'No schedules yet.', (one) => drawSchedule(path, one))}
    <details><summary>New schedule</summary>${drawForm(agent, path)}</details>
  </section>`;
}

function drawSchedule(path: string, one: Schedule): TemplateResult {
  const here = `${path}/${one.id}`;
  const name = clip(one.name, 60);
  const bad = BAD.has(one.last_status ?? '');
  const said = STATUSES[one.last_status ?? ''] ?? clip(one.last_status ?? '', 40);
  const act = (what: () => Promise<unknown>, done: string): void => void change(path, what, done).then(() => coming.soon());
  return html`<li class="schedule ${bad ? 'mood-failed' : ''}">
    <div class="about-it"><b dir="auto">${name}</b> <span class="none">${clip(whenWords(one), 60)}${one.timezone && !one.every_seconds ? `, ${clip(one.timezone, 40)}` : ''}</span>
      <p dir="auto">${clip(one.prompt, 200)}</p>
      <p class="none">${one.enabled ? (one.next_run_at ? `next ${clock(Date.parse(one.next_run_at), Date.now())}` : 'over') : 'paused: nothing is made up for'}${one.last_run_at ? html` · last ${clock(Date.parse(one.last_run_at), Date.now())}: <span class=${bad ? 'bad' : ''}>${bad ? html`<span class="glyph" aria-hidden="true">${MOODS.failed.glyph}</span> ` : nothing}${said}${one.last_error ? `, ${clip(one.last_error, 120)}` : ''}</span>` : ''}</p></div>
    <div class="buttons">
      <button aria-label="${one.enabled ? 'Pause' : 'Go on with'} ${name}" ?disabled=${!one.enabled && !one.next_run_at && whenWords(one) === 'once'} @click=${() => act(() => call('PATCH', here, { enabled: !one.enabled }), one.enabled ? `${name} is paused.` : `${name} goes on.`)}>${one.enabled ? 'Pause' : 'Go on'}</button>
      <button aria-label="Run ${name} now" @click=${() => act(() => call('POST', `${here}/run`, { send: true }), 'Started.')}>Run now</button>
      <button aria-label="Delete ${name}" @click=${() => act(() => call('DELETE', here), `${name} was deleted.`)}>Delete</button>
    </div>
    <details ?open=${opened.has(one.id)} @toggle=${(event: Event) => { opened[(event.currentTarget as HTMLDetailsElement).open ? 'add' : 'delete'](one.id); store.changed(); }}><summary>History</summary>${opened.has(one.id) ? drawTicks(here) : nothing}</details>
  </li>`;
}

function drawTicks(here: string): TemplateResult {
  return rows(read<Tick[]>(`${here}/history?limit=${HISTORY}`), 'Nothing yet.', (tick) => html`<li><span class="time">${clock(Date.parse(tick.timestamp), Date.now())}</span>
    <span class="none ${BAD.has(tick.status) ? 'bad' : ''}" dir="auto">${STATUSES[tick.status] ?? clip(tick.status, 40)}${tick.duration_ms === null ? '' : ` in ${elapsed(tick.duration_ms)}`}${tick.error_detail ? `: ${clip(tick.error_detail, 200)}` : ''}</span></li>`);
}

function drawForm(agent: Agent, path: string): TemplateResult {
  if (chosen.agentId !== agent.id) chosen = { agentId: agent.id, kind: 'day' };
  const needs = KINDS.find((one) => one.kind === chosen.kind)!.needs;
  return html`<form class="clock" @submit=${(event: Event) => {
      const { form, field } = submitted(event);
      const said = { prompt: field('prompt'), name: field('name') || clip(field('prompt'), NAME_MAX), ...whenOf(chosen.kind, field('value'), field('timezone') || 'UTC') };
      void change(path, async () => { await call('POST', path, said); form.reset(); chosen = { agentId: agent.id, kind: 'day' }; }, 'Saved.').then(() => coming.soon());
    }}>
    <textarea name="prompt" required maxlength=${PROMPT_MAX} rows="3" aria-label="Message" placeholder="Message, as if you wrote it" dir="auto"></textarea>
    <div class="when">
      <select name="kind" aria-label="When" @change=${(event: Event) => { chosen = { agentId: agent.id, kind: (event.target as HTMLSelectElement).value }; store.changed(); }}>${KINDS.map((one) => html`<option value=${one.kind} .selected=${one.kind === chosen.kind}>${one.words}</option>`)}</select>
      ${needs === 'time' ? html`<input name="value" type="time" required aria-label="At what time" value="09:00" />` : nothing}
      ${needs === 'minutes' ? html`<input name="value" type="number" required min="1" max="527040" aria-label="Minutes" value="60" />` : nothing}
      ${needs === 'moment' ? html`<input name="value" type="datetime-local" required aria-label="At what moment" />` : nothing}
      ${needs === 'cron' ? html`<input name="value" required maxlength="200" aria-label="Cron expression, five fields" placeholder="0 9 * * 1-5" autocomplete="off" />` : nothing}
    </div>
    <div class="when">
      <input name="name" maxlength="200" aria-label="Name" placeholder="name" dir="auto" autocomplete="off" />
      ${needs === 'minutes' ? nothing : html`<input name="timezone" maxlength="60" aria-label="Time zone" title="Time zone" value=${ownZone()} autocomplete="off" />`}
    </div>
    <button>Save</button>
  </form>`;
}

