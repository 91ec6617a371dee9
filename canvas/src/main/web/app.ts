import { html, nothing, type TemplateResult } from 'lit';
import { bringIn } from './actions';
import { call, says } from './api';
import { census } from './census';
import './app.css';
import './composer';
import { approvedHere, whyNot } from './deciders';
import { answerTo, decide, undecide } from './deciding';
import './dialogs';
import { comesByLink, drawDoor, drawProgram, letsIn } from './door';
import './list';
import './map';
import './palette';
import './panel';
import './house';
import './platform';
import { organisationName, person } from './names';
import { nameIn, needWords, needsCount } from './needs';
import type { Sum } from './organisation';
import { outage, showOffline } from './outage';
import { lookingWords, mayAct, mayAsk, onlyLooks, seesAll } from './rights';
import './side';
import { spending } from './spending';
import { store } from './store';
import { talk } from './talk';
import { pastBanner } from './timebar';
import { travel } from './travel';
import { Part, look, toast, view, type View } from './view';
import { works } from './work';
import { MOODS, clip, count, dollars, exactly, rounded, troubleWords, wantsOf } from './words';
import './works';

/** More are counted, not named. */
const LEADERS = 2;
/** How often the clocks on the page move while it is looked at. */
const TICK_MILLIS = 1_000;
const SPEAK_MILLIS = 5_000;
/** A message sent here and the work it became are so close in time, give or take the two clocks. */
const SAME_MILLIS = 10_000;

const SCREENS: Record<View['screen'], TemplateResult> = {
  map: html`<organisation-map></organisation-map>`,
  list: html`<organisation-list></organisation-list>`,
  work: html`<work-screen></work-screen>`,
  needs: html`<needs-screen></needs-screen>`,
  house: html`<house-screen></house-screen>`,
  platform: html`<platform-screen></platform-screen>`,
};

/** Where everybody is seen, and so where one asks. */
const PLACES = new Set<View['screen']>(['map', 'list']);

/** The whole page: who is here, what moves, where to ask. */
class App extends Part {
  private templates: { dir: string; name: string; description: string; workspaces: number }[] | null = null;
  private spokeAt = 0;
  private spoken = new Set<string>();
  private waiting: string[] = [];
  private speech = '';
  private readonly opened = new Set<string>();
  private greeted = false;

  override connectedCallback(): void {
    super.connectedCallback();
    store.start();
    works.onRead = () => this.openReport();
    setInterval(() => store.changed(), TICK_MILLIS);
    for (const begun of ['keydown', 'pointerdown']) addEventListener(begun, () => { this.greeted = true; }, { capture: true });
    addEventListener('keydown', (event) => this.keys(event));
  }

  override render(): TemplateResult {
    const { connection, org } = store;
    if (connection.kind === 'locked' || comesByLink()) return drawDoor(connection.kind === 'locked' ? connection.note : '');
    if (letsIn()) return drawProgram();
    if (connection.kind === 'loading') return html`<p class="opening">Opening…</p>`;
    if (!org.agents.size && connection.kind === 'away' && !org.heardAt) return html`<main class="opening"><h1>Molecule</h1><p>${connection.why ? `The platform answers, but cannot read its data: ${troubleWords(connection.why)}.` : 'The platform does not answer.'} This page tries again by itself.</p></main>`;
    this.listenForSpeech();
    if (connection.kind === 'live') {
      travel.begin();
      spending.freshen(census().all.working > 0);
    }
    const selected = org.agents.has(view.selected ?? '');
    return html`
      ${this.drawHeader()}
      <div class="body ${selected ? 'with-panel' : ''} ${view.screen} ${store.past ? 'past' : ''}">
        <aside aria-label="Activity"><organisation-side></organisation-side></aside>
        <main>
          ${pastBanner()}
          ${drawTrouble()}
          ${onlyLooks() ? html`<p class="looks">${lookingWords()}</p>` : nothing}
          ${org.agents.size ? this.drawOrganisation() : this.drawEmpty()}
        </main>
        ${selected ? html`<agent-panel role="complementary" aria-label="Selected agent"></agent-panel>` : nothing}
      </div>
      <ask-dialogs></ask-dialogs>
      <div class="toast" role="status" ?hidden=${!view.toast}>
        <span dir="auto">${view.toast?.text}</span>
        ${view.toast?.undo ? html`<button @click=${() => { const undo = view.toast?.undo; look({ toast: null }); undo?.(); }}>Undo</button>` : nothing}
      </div>
      <div class="spoken" aria-live="polite">${this.speech}</div>
    `;
  }

  private drawHeader(): TemplateResult {
    const { org } = store;
    const { tree, all } = census();
    const { working } = all;
    const needs = needsCount();
    const offline = outage().agents.length;
    const leaders = tree.roots.filter((agent) => tree.childrenOf.has(agent.id));
    const organisation = organisationName();
    document.title = (needs ? `▲ ${needs} · ` : '') + (organisation || 'Molecule');
    return html`
      <header class="top">
        <h1>Molecule${organisation ? html` <span class="called" dir="auto"><span class="between">· </span>${organisation}</span>` : nothing}</h1>
        <p class="sums">
          <span class="here"><span>${count(org.agents.size, 'agent')}</span>${leaders.length ? html`<span class="led" dir="auto">, ${leaders.length > LEADERS ? `${leaders.length} lead` : `led by ${leaders.map((agent) => clip(agent.name, 24)).join(' and ')}`}</span>` : nothing}</span>
          ${needs ? html`<button class="mood-needs" @click=${() => look({ screen: 'needs', waits: null, selected: null })}><b aria-hidden="true">▲</b> ${needWords(needs)}</button>` : nothing}
          ${offline ? html`<button class="mood-failed" @click=${showOffline}><b aria-hidden="true">${MOODS.failed.glyph}</b> ${offline} offline</button>` : nothing}
          ${working ? html`<span class="mood-working"><b aria-hidden="true">◐</b> ${working} running</span>` : nothing}
          ${org.agents.size && !store.past ? html`<button class="spend" title="Usage" @click=${() => look({ dialog: { kind: 'costs', id: '' } })}>${spendWords(all)}</button>` : nothing}
        </p>
        <search-or-do></search-or-do>
        ${mayAct() ? html`<button class="more-agents" ?disabled=${!!store.past} @click=${() => look({ dialog: { kind: 'add', id: '' } })}>New…</button>` : nothing}
        <div class="switch" role="group" aria-label="Show">
          <button aria-pressed=${view.screen === 'map' ? 'true' : 'false'} @click=${() => look({ screen: 'map' })}>Map</button>
          <button aria-pressed=${view.screen === 'list' ? 'true' : 'false'} @click=${() => look({ screen: 'list' })}>List</button>
          <button aria-pressed=${view.screen === 'work' ? 'true' : 'false'} @click=${() => look({ screen: 'work', work: null })}>Runs</button>
          ${seesAll() ? html`<button aria-pressed=${view.screen === 'house' ? 'true' : 'false'} @click=${() => look({ screen: 'house' })}>Settings</button>` : nothing}
          <button aria-pressed=${view.screen === 'platform' ? 'true' : 'false'} @click=${() => look({ screen: 'platform' })}>System</button>
        </div>
        ${store.signedIn ? html`<button class="leave" @click=${() => void store.signOut().catch((failure: unknown) => toast(says(failure)))}>Sign out</button>` : nothing}
        <button class="person ${store.who ? 'named' : ''}" title=${store.who ? 'Account and members' : 'Profile: your name and the organization’s'} @click=${() => look({ dialog: { kind: 'names', id: '' } })}><span dir="auto">${store.who?.name || person() || 'You'}</span></button>
        <button class="help" aria-label="Keyboard" title="Keyboard (?)" @click=${() => look({ dialog: { kind: 'help', id: '' } })}>?</button>
      </header>
    `;
  }

  private drawOrganisation(): TemplateResult {
    const first = this.isFirstVisit();
    return html`
      ${SCREENS[view.screen]}
      ${store.past || !PLACES.has(view.screen) || !mayAsk() || (store.org.agents.has(view.selected ?? '') && view.tab === 'talk')
        ? nothing
        : html`<div class="ask">
            ${first ? html`<p class="welcome">${this.welcome()}</p>` : nothing}
            <ask-composer></ask-composer>
          </div>`}
      <time-bar></time-bar>
    `;
  }

  /** Whoever comes for the first time may press Enter at once; on a phone a keyboard would cover half the page. */
  protected override updated(): void {
    if (this.greeted || store.connection.kind !== 'live' || !PLACES.has(view.screen) || view.selected || view.dialog || !store.org.agents.size) return;
    const area = this.querySelector<HTMLTextAreaElement>('.ask textarea');
    if (!area) return;
    if (!this.isFirstVisit() || matchMedia('(max-width: 720px)').matches) return;
    if (document.activeElement === area) this.greeted = true; // and the next drawing left it there
    if (document.activeElement !== document.body) return;
    area.focus();
    area.setSelectionRange(area.value.length, area.value.length);
  }

  private isFirstVisit(): boolean {
    const first = [...store.org.agents.values()].find((agent) => !agent.parent_id);
    return talk.isFirstVisit(first?.id);
  }

  private welcome(): string {
    const { agents } = store.org;
    const all = agents.size === 1 ? 'This agent works' : `These ${agents.size} agents work`;
    if ([...agents.values()].every((agent) => agent.runtime === 'rehearsed')) {
      return `${all} on this machine with recorded model answers; files and commands are real. Nothing starts before you press Enter.`;
    }
    const silent = [...agents.values()].every((agent) => agent.runtime === 'echo' || agent.runtime === 'delegate');
    return `${all} for you.${!silent ? '' : agents.size === 1 ? ' It needs no model key.' : ' They need no model key: a lead asks its team, the others repeat what they receive.'} Ask something, and watch who does what.`;
  }

  /** Never an empty picture: what there could be. */
  private drawEmpty(): TemplateResult {
    if (!mayAct()) return html`<div class="empty"><h2>No agents yet</h2><p>An operator of the organization can add agents.</p></div>`;
    if (this.templates === null) {
      this.templates = [];
      void call<NonNullable<App['templates']>>('GET', '/org/templates')
        .then((templates) => {
          this.templates = templates.slice(0, 12);
          this.requestUpdate();
        })
        .catch(() => {});
    }
    return html`
      <div class="empty">
        <h2>No agents yet</h2>
        <p>Start with an example organization.</p>
        <div class="starts">
          ${this.templates.map((one) => html`
            <button class="start" @click=${async (event: Event) => { const button = event.currentTarget as HTMLButtonElement; button.disabled = true; if (!(await bringIn(one.dir))) button.disabled = false; }}>
              <b dir="auto">${clip(one.name, 60)}</b> <span>${count(one.workspaces, 'agent')}</span>
              <span class="what" dir="auto">${clip(one.description, 160)}</span>
            </button>`)}
        </div>
        <p><button @click=${() => look({ dialog: { kind: 'add', id: 'invite' } })}>Or connect an agent…</button></p>
      </div>
    `;
  }

  /** Of recorded brains the report opens by itself, once, for who asked for it here and stayed. */
  private openReport(): void {
    const asked = talk.asked.find((one) => !this.opened.has(one.key) && store.live.agents.get(one.agentId)?.runtime === 'rehearsed');
    const done = asked && works.list.find((work) => work.to === asked.agentId && work.state === 'done' && Math.abs(Date.parse(work.created_at) - asked.startedAt) < SAME_MILLIS);
    if (!asked || !done) return;
    this.opened.add(asked.key);
    if (PLACES.has(view.screen) && view.selected === asked.agentId && !store.past && !view.dialog) look({ screen: 'work', work: done.id, selected: null });
  }

  /** Speaks only what needs somebody and what is done, at most every 5 s. */
  private listenForSpeech(): void {
    const news: [string, string][] = [
      ...[...store.live.waiting.values()].map((row): [string, string] => [`${row.id}:${row.position}`, `${nameIn(row)} needs you: ${clip(wantsOf(row), 120)}`]),
      ...talk.asked.filter((one) => one.endedAt).map((one): [string, string] => [one.key, `Done: ${clip(one.text, 80)}`]),
    ];
    for (const [key, words] of news) {
      if (this.spoken.has(key)) continue;
      this.spoken.add(key);
      if (this.spokeAt) this.waiting.push(words);
    }
    const now = Date.now();
    if (!this.spokeAt) this.spokeAt = now; // what was there at the beginning is on the page, not news
    if (!this.waiting.length || now - this.spokeAt < SPEAK_MILLIS) return;
    this.spokeAt = now;
    this.speech = this.waiting.length > 3 ? `${this.waiting.length} things are new` : this.waiting.join('. ');
    this.waiting = [];
  }

  /** From one thing that needs somebody to the next. */
  private stepThrough(by: number): void {
    const all = [...this.querySelectorAll<HTMLElement>('.decide .about')].filter((one) => one.checkVisibility());
    const here = all.findIndex((one) => one.closest('.decide')?.contains(document.activeElement));
    all[here < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, here + by))]?.focus();
  }

  /** Only what has the focus is decided. */
  private decideHere(decision: 'approved' | 'denied'): void {
    const drawn = document.activeElement?.closest<HTMLElement>('[data-approval]')?.dataset;
    const row = store.org.waiting.get(drawn?.['row'] ?? '');
    if (!row || answerTo(row)?.state === 'decided' || whyNot(row) !== null || (decision === 'approved' && (drawn?.['whole'] === undefined || approvedHere(row)))) return;
    decide(row, decision, drawn?.['digest']);
  }

  /** The last decision that can still be. */
  private takeBack(): void {
    const last = [...store.live.waiting.values()].filter((row) => (answerTo(row)?.effectAt ?? 0) > Date.now()).sort((a, b) => answerTo(b)!.effectAt - answerTo(a)!.effectAt)[0];
    if (last && !store.past) void undecide(last);
  }

  private keys(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]');
    const search = () => this.querySelector<HTMLInputElement>('.search input')?.focus();
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      search();
      return;
    }
    if (event.key === 'Escape' && !view.dialog) {
      if (view.query) look({ query: '' });
      else if (view.selected) look({ selected: null });
      else if (typing) (event.target as HTMLElement).blur(); // then keys are commands again
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey || view.dialog) return;
    const plain: Record<string, () => void> = {
      '/': search,
      '?': () => look({ dialog: { kind: 'help', id: '' } }),
      j: () => this.stepThrough(1),
      k: () => this.stepThrough(-1),
      a: () => this.decideHere('approved'),
      d: () => this.decideHere('denied'),
      u: () => this.takeBack(),
      m: () => look({ screen: 'map' }),
      l: () => look({ screen: 'list' }),
      w: () => look({ screen: 'work', work: null }),
      h: () => { if (seesAll()) look({ screen: 'house' }); },
      p: () => look({ screen: 'platform' }),
      t: () => this.querySelector<HTMLElement>('agent-panel [role=tab][aria-selected=true]')?.focus(),
      e: () => (this.querySelector<HTMLElement>('agent-panel ask-composer textarea') ?? this.querySelector<HTMLElement>('ask-composer textarea'))?.focus(),
      n: () => travel.now(),
      '+': () => { if (mayAct()) look({ dialog: { kind: 'add', id: '' } }); },
    };
    const action = plain[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

/** Of those with a login of their own nobody knows it, so a sum without them is said to be one. */
function spendWords({ agents, spend, unmetered }: Sum): string {
  const { allowance } = spending;
  const bounded = allowance && `${dollars(allowance.spent ?? spend)} of ${rounded(allowance.limit)} ${allowance.period === 'day' ? 'today' : 'this month'}`;
  const known = bounded ?? (spend || !unmetered ? `${dollars(spend)} this month` : '');
  const unknown = unmetered === agents ? 'not metered' : unmetered ? `${unmetered} not metered` : '';
  return [known, unknown].filter((part) => part).join(', ');
}

/** In one line: what is going on, and what helps. */
function drawTrouble(): TemplateResult | typeof nothing {
  const { cuts, stale } = store;
  const tryNow = html`<button @click=${() => store.tryNow()}>Try now</button>`;
  if (cuts && !stale?.why) return html`<p class="away" role="status">The connection was cut ${cuts} times in half a minute and taken up again each time: nothing is lost, some of it comes late. A proxy or VPN between may not let it live.</p>`;
  if (!stale) return nothing;
  return stale.why
    ? html`<p class="away" role="status"><span>Since ${exactly(stale.since)} the platform cannot read its data: ${troubleWords(stale.why)}. What you see is from then. Nothing is lost.</span> ${tryNow}</p>`
    : html`<p class="away" role="status"><span>Disconnected since ${exactly(stale.since)}. What you see is from then. The page reconnects by itself.</span> ${tryNow}</p>`;
}

customElements.define('molecule-app', App);

addEventListener('unhandledrejection', (event) => {
  console.error(event.reason);
  toast('Part of this page failed. Reload the page if it looks wrong.');
});
