import { html, nothing, svg, type TemplateResult } from 'lit';
import { call, credentials, says } from './api';
import { MEASURED, gaugesOf, ratesOf, type Gauges } from './gauges';
import { outage } from './outage';
import './platform.css';
import { toRecord } from './record';
import { repeat } from './repeat';
import { store } from './store';
import { Part } from './view';
import { MOODS, clip, clock, count, waiting } from './words';

/** The platform itself: which of its services answer, what they do by themselves, and how much waits; read anew while it is looked at. */

const READ_MILLIS = 5_000;
/** Of each chart: the last five minutes. */
const KEPT = 60;
const SAYS_MAX = 200;

interface Service {
  answered: boolean;
  replica?: string;
  open_doors?: string[];
}

interface Subsystem {
  seconds_ago: number | null;
  ok: boolean;
  /** What it is for, and what it did last. */
  says: string | null;
  did: string | null;
}

interface Liveness {
  services: Record<string, Service>;
  subsystems: Record<string, Subsystem>;
}

class PlatformScreen extends Part {
  private liveness: Liveness | null = null;
  private note = 'Reading…';
  /** What could be measured, the newest last; of one reading the counters, to tell how fast they grow. */
  private readonly samples: Gauges[] = [];
  private counters: { at: number; of: Gauges } | null = null;
  private timer = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    const tick = (): void => {
      if (!document.hidden) void this.read();
    };
    tick();
    this.timer = window.setInterval(tick, READ_MILLIS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  private async read(): Promise<void> {
    const measured = fetch('/metrics', { headers: credentials(), cache: 'no-store', signal: AbortSignal.timeout(READ_MILLIS) }).then((response) => (response.ok ? response.text() : ''), () => '');
    try {
      this.liveness = await call<Liveness>('GET', '/admin/liveness', undefined, READ_MILLIS);
      this.note = '';
    } catch (failure) {
      this.note = says(failure);
    }
    const of = gaugesOf(await measured);
    const now = Date.now();
    if (Object.keys(of).length) {
      this.samples.push({ ...of, ...(this.counters ? ratesOf(this.counters.of, of, (now - this.counters.at) / 1000) : {}) });
      if (this.samples.length > KEPT) this.samples.shift();
      this.counters = { at: now, of };
    }
    this.requestUpdate();
  }

  override render(): TemplateResult {
    const services = Object.entries(this.liveness?.services ?? {});
    const subsystems = Object.entries(this.liveness?.subsystems ?? {}).sort(([, a], [, b]) => Number(a.ok) - Number(b.ok));
    const offline = outage().agents.length;
    const bad = services.filter(([, one]) => !one.answered).length + subsystems.filter(([, one]) => !one.ok).length;
    return html`
      <div class="platform-page">
        <header>
          <h2>System</h2>
          <p class="none">${store.past ? 'Shown as it is now. The past is not kept.' : 'Services, background jobs and queues.'} <button class="inline" @click=${toRecord}>Audit log</button></p>
          ${this.liveness ? html`<p class="verdict ${bad || offline ? 'mood-failed' : ''}" role="status"><span class="glyph" aria-hidden="true">${bad || offline ? MOODS.failed.glyph : '✓'}</span> ${bad || offline ? [bad ? count(bad, 'problem') : '', offline ? `${count(offline, 'agent')} offline` : ''].filter((part) => part).join(', ') : 'All systems operational'}</p>` : nothing}
        </header>
        ${this.note ? html`<p class="nothing">${this.liveness ? `The status cannot be read now: ${this.note} What you see is from before.` : this.note}</p>` : nothing}
        ${services.length ? html`<section aria-label="Services"><h3>Services</h3><div class="services">${repeat(services, ([name]) => name, ([name, one]) => drawService(name, one))}</div></section>` : nothing}
        ${this.drawCharts()}
        ${subsystems.length ? html`<section aria-label="Background jobs"><h3>Background jobs</h3><ul class="subsystems">${repeat(subsystems, ([name]) => name, ([name, one]) => drawSubsystem(name, one))}</ul></section>` : nothing}
        <who-did-what></who-did-what>
      </div>
    `;
  }

  private drawCharts(): TemplateResult | typeof nothing {
    const newest = this.samples.at(-1);
    const shown = MEASURED.filter(({ name }) => newest?.[name] !== undefined);
    if (!shown.length) return nothing;
    return html`<section aria-label="Queues"><h3>Queues (5 min)</h3><div class="charts">
      ${repeat(shown, ({ name }) => name, ({ name, words, say }) => html`<figure><figcaption>${words}</figcaption><b>${say(newest![name]!)}</b>${drawLine(this.samples.map((sample) => sample[name] ?? 0))}</figure>`)}
    </div></section>`;
  }
}

function drawService(name: string, one: Service): TemplateResult {
  return html`<div class="service ${one.answered ? '' : 'mood-failed'}">
    <p><span class="glyph" aria-hidden="true">${one.answered ? '✓' : MOODS.failed.glyph}</span> <b>${clip(name, 60)}</b></p>
    <p class="none">${one.answered ? `Healthy, ${clip(replicaWords(one.replica ?? ''), 80)}` : 'does not answer'}</p>
    ${one.open_doors?.length ? html`<p class="doors"><b class="mood-needs" aria-hidden="true">▲</b> Open, for older clients: ${one.open_doors.slice(0, 10).map((door) => clip(door, 60)).join(', ')}</p>` : nothing}
  </div>`;
}

function drawSubsystem(name: string, one: Subsystem): TemplateResult {
  const ago = one.seconds_ago === null ? 'not yet' : one.seconds_ago < 60 ? `${Math.round(one.seconds_ago)} s ago` : `${waiting(one.seconds_ago * 1000)} ago`;
  return html`<li class=${one.ok ? '' : 'mood-failed'}>
    <span class="glyph" aria-hidden="true">${one.ok ? '✓' : MOODS.failed.glyph}</span>
    <span class="name">${one.ok ? '' : html`<span class="unseen">failed: </span>`}${clip(name.replace('.', ' · ').replaceAll('-', ' '), 80)} <span class="says">${clip(inClock((one.says ?? '').replace(/^has not run yet: /, '')), SAYS_MAX)}</span></span>
    <span class="did" dir="auto">${clip(one.did ?? '', SAYS_MAX)}</span><span class="time">${ago}</span></li>`;
}

/** "host/12": which process of which machine answered. */
const replicaWords = (replica: string): string => replica.replace(/^(.*)\/(\d+)$/, 'pid $2 on $1');

/** With the times of the platform as people here read them. */
const inClock = (says: string): string => says.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => clock(Date.parse(time), Date.now()));

/** From nothing to the greatest of them, the newest at the right. */
function drawLine(values: number[]): TemplateResult {
  const top = Math.max(...values, 0) || 1;
  const x = (i: number): number => 120 - (values.length - 1 - i) * (120 / (KEPT - 1));
  const points = values.map((value, i) => `${x(i).toFixed(1)},${(27 - (26 * Math.max(0, value)) / top).toFixed(1)}`).join(' ');
  return html`<svg viewBox="0 0 120 28" preserveAspectRatio="none" aria-hidden="true">${svg`<polyline points=${points}></polyline>`}</svg>`;
}

customElements.define('platform-screen', PlatformScreen);
