import { html, nothing, type TemplateResult } from 'lit';
import { restart } from './actions';
import { askedBy, type Asked } from './asked';
import { admit, allow, allowMore, answerTo, askAgain, askedFor, decide, dismiss, isBusy, missedBy, redo, reply, setPrice, settledWords, stopHere, undecide } from './deciding';
import { approvedHere, waitsFor, whyNot } from './deciders';
import { submitted } from './forms';
import { runOf } from './held';
import { holdButton } from './hold';
import { toPart } from './house';
import { linkOf, openRows, rowOf } from './inbox';
import type { Waiting } from './model';
import './needs.css';
import { drawOutage, outage } from './outage';
import { forget, read } from './readings';
import { repeat } from './repeat';
import { mayAct, mayRule, onlyLooks, seesAll } from './rights';
import { store } from './store';
import { Part, copyLink, look, view, type Tab } from './view';
import { works } from './work';
import { MOODS, asWritten, clip, count, dollars, fixIn, money, waiting, wantsOf, type Mood } from './words';

/** What waits for a person: as cards beside the map, and each alone on a screen of its own, for links and phones. */

const SHOWN = 20;
const FACTS = 12;
const SAID_MAX = 400;
const HEAD_MAX = 300;
/** What is longer is shown when somebody asks for it. */
const ARGUMENT_MAX = 4_000;
const LINE_MAX = 160;
/** The platform counts no further. */
const BEHIND_MAX = 1_000;
/** A finger that goes less far aside did something else. */
const SWIPE_MIN = 80;
/** What ends by itself within so long says so. */
const ENDS_SOON_MILLIS = 86_400_000;

/** How a kind looks and what is done about it; the rest is the platform's own words. */
interface Look {
  mood: Mood;
  tab: Tab;
  buttons: (row: Waiting, name: string) => TemplateResult | typeof nothing;
}

const PLAIN: Look = { mood: 'needs', tab: 'talk', buttons: (row) => (row.dismissible ? settledButton(row) : nothing) };

const LOOKS: Record<string, Look> = {
  approval: { mood: 'needs', tab: 'talk', buttons: approvalButtons },
  question: { mood: 'needs', tab: 'talk', buttons: drawReply },
  budget: { mood: 'needs', tab: 'about', buttons: budgetButtons },
  limit: { mood: 'needs', tab: 'about', buttons: limitButtons },
  price: { mood: 'needs', tab: 'about', buttons: priceForm },
  unusual_cost: { mood: 'needs', tab: 'about', buttons: costButtons },
  outcome_unknown: { mood: 'doubt', tab: 'talk', buttons: doubtButtons },
  stranger: { mood: 'needs', tab: 'about', buttons: strangerButtons },
  failed: { mood: 'failed', tab: 'about', buttons: brokenButtons },
  degraded: { mood: 'failed', tab: 'about', buttons: brokenButtons },
  webhook: { mood: 'needs', tab: 'about', buttons: () => (seesAll() ? html`<button class="primary" @click=${() => toPart('incoming')}>Show webhooks</button>` : nothing) },
  awaiting_agent: { mood: 'away', tab: 'about', buttons: (row, name) => html`<button aria-label="See ${name}" @click=${() => show(row.workspace_id, 'about')}>See it</button>` },
};

const lookOf = (row: Waiting): Look => LOOKS[row.kind] ?? PLAIN;

export const nameIn = (row: Waiting): string => clip(store.org.agents.get(row.workspace_id)?.name ?? row.workspace_name ?? 'Deleted agent', 60);

/** How many are not answered here yet, those included that are too many to list. */
export function needsCount(): number {
  const open = openRows(store.org).length;
  return store.past ? open : Math.max(open, store.inbox.count - (store.live.waiting.size - open));
}

/** Whoever only looks is told that it waits, not that it waits for them. */
export const needWords = (needs: number): string => (onlyLooks() ? `${needs} in inbox` : needs === 1 ? '1 needs you' : `${needs} need you`);

export const needTitle = (): string => (onlyLooks() ? 'Inbox' : 'Inbox');

/** The cards, a decision first; what was just decided stays where it is until the platform carried it out. */
export function drawNeeds(now: number): TemplateResult {
  const rows = openRows(store.org);
  const decided = [...store.org.waiting.values()].filter((row) => answerTo(row)?.state === 'decided');
  const shown = rows.slice(0, SHOWN);
  const hidden = needsCount() - shown.length;
  return html`
    ${drawOutage()}
    ${rows.length + decided.length || outage().agents.length ? nothing : html`<p class="none">${store.past ? 'Inbox zero' : onlyLooks() ? 'Inbox zero' : 'Inbox zero'}</p>`}
    ${repeat([...decided.slice(0, SHOWN), ...shown], (row) => row.id, (row) => drawRow(row, now))}
    ${hidden > 0 ? html`<p class="none">and ${hidden} more; search for “failed” or “needs”</p>` : nothing}
  `;
}

function drawRow(row: Waiting, now: number): TemplateResult {
  const { mood, tab, buttons } = lookOf(row);
  const answer = answerTo(row);
  const decided = answer?.state === 'decided';
  const name = nameIn(row);
  const asked = row.kind === 'approval' ? askedBy(row) : '';
  const whole = typeof asked === 'string' ? undefined : asked;
  const ends = row.expires_at && Date.parse(row.expires_at) - now < ENDS_SOON_MILLIS ? Date.parse(row.expires_at) - now : 0;
  return html`
    <article class="decide ${decided ? 'decided' : `mood-${mood}`}" data-row=${row.id} data-approval=${row.kind === 'approval' ? linkOf(row) : nothing} data-whole=${whole ? '' : nothing} data-digest=${whole?.digest ?? nothing}>
      <button class="about" @click=${() => show(row.workspace_id, tab)}>
        <span class="glyph" aria-hidden="true">${decided ? '✓' : MOODS[mood].glyph}</span>
        <span class="who" dir="auto">${name}</span><span class="time">${waiting(now - Date.parse(row.since))}</span>
        <span class="what" dir="auto">${clip(whole?.action ?? wantsOf(row), HEAD_MAX)}</span>
      </button>
      ${row.behind?.tasks && !decided ? html`<p class="behind">${behindWords(row.behind)}</p>` : nothing}
      ${decided ? nothing : drawFor(row)}
      ${drawDeciders(row)}
      ${!decided && row.kind === 'approval' && store.org.agents.get(row.workspace_id)?.status === 'offline' ? html`<p class="fact plain-words">${name} is offline. It receives your decision when it is online again.</p>` : nothing}
      ${drawDetails(row, asked)}
      ${drawFix(row)}
      ${ends > 0 ? html`<p class="ends none">Expires in ${waiting(ends) === 'just now' ? 'less than a minute' : waiting(ends)}.</p>` : nothing}
      ${answer?.note ? html`<p class="refused" role="status">Not done: ${answer.note}</p>` : nothing}
      ${decided ? drawDecided(row, now, name) : html`<div class="buttons">${mayAct(row.workspace_id) ? buttons(row, name) : html`<span class="none">You can view this item, not decide it.</span>`} ${answer?.state === 'sending' ? html`<span class="none">Sending…</span>` : nothing}</div>`}
    </article>
  `;
}

/** On whose behalf it asks, where that is known: the work its agent has, or the only one that waits. */
function drawFor(row: Waiting): TemplateResult | typeof nothing {
  if (store.past || (row.kind !== 'approval' && row.kind !== 'question')) return nothing;
  works.recall();
  const waits = works.list.filter((work) => work.state === 'needs_you');
  const own = waits.filter((work) => work.to === row.workspace_id);
  const work = runOf(row) ?? (own.length === 1 ? own[0] : waits.length === 1 && row.behind?.works === 1 ? waits[0] : undefined);
  return work ? html`<p class="fact plain-words">Run: <button class="inline" @click=${() => look({ screen: 'work', work: work.id, selected: null })} dir="auto">${clip(work.title, 80)}</button></p>` : nothing;
}

/** Where a rule says who decides: how many have, and for whom it waits. */
function drawDeciders(row: Waiting): TemplateResult | typeof nothing {
  const waits = waitsFor(row);
  return waits ? html`<p class="fact plain-words">${clip(sentence(waits), HEAD_MAX)}</p>` : nothing;
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

function behindWords({ tasks, works }: { tasks: number; works: number }): string {
  const many = tasks >= BEHIND_MAX ? `${BEHIND_MAX} or more` : String(tasks);
  return `Blocks ${many} ${tasks === 1 ? 'task' : 'tasks'}${works > 1 ? ` in ${works} runs` : ''}`;
}

/** What runs when it is approved, beside the agent's own words. */
function drawDetails(row: Waiting, asked: Asked | string): TemplateResult {
  const { role, error } = row.details;
  const { action, reason, context } = typeof asked === 'string' ? { action: row.text, reason: row.details['reason'], context: row.details['context'] } : asked;
  const doubt = row.kind === 'outcome_unknown' ? 'Outcome unknown. Check or ask, then:' : '';
  const said = [reason, row.kind === 'stranger' ? role : '', row.kind === 'outcome_unknown' ? error : ''].filter((one): one is string => typeof one === 'string' && !!one && one !== row.text);
  return html`
    ${row.kind === 'approval' && clip(action, HEAD_MAX) !== asWritten(action, action.length) ? drawFact(row, 'action', action) : nothing}
    ${said.map((words) => html`<blockquote dir="auto">${drawWhole(row, `said ${words.slice(0, 40)}`, words, SAID_MAX)}</blockquote>`)}
    ${drawContext(row, action, context)}
    ${doubt ? html`<p class="fact plain-words">${doubt}</p>` : nothing}
    ${row.kind === 'approval' && typeof asked === 'string' ? html`<p class="fact" role="status"><span>${asked}</span></p>` : nothing}
  `;
}

/** What was opened in full, by row and member. */
const opened = new Set<string>();
const OPENED_MAX = 500;

/** What an agent told of what it wants to do: each member as it was sent and in its order, because that is what a person approves. */
function drawContext(row: Waiting, action: string, context: unknown): TemplateResult | typeof nothing {
  if (!context || typeof context !== 'object') return nothing;
  const { tool, arguments: whole, ...rest } = context as Record<string, unknown>;
  const asksFirst = typeof tool === 'string' && !!whole && typeof whole === 'object' && !Object.keys(rest).length;
  const named = asksFirst && (action === tool || action.startsWith(`${tool} `));
  const members = Object.entries(asksFirst ? (named ? whole : { tool, ...whole }) : context);
  // Of what is approved nothing is folded.
  const shown = row.kind === 'approval' || opened.has(`${row.id} `) ? members : members.slice(0, FACTS);
  const hidden = members.length - shown.length;
  return html`${shown.map(([key, value]) => drawFact(row, key, typeof value === 'string' ? value : JSON.stringify(value, null, 1) ?? ''))}
    ${hidden ? html`<p class="fact plain-words">${count(hidden, 'more member is', 'more members are')} hidden. <button class="inline" @click=${() => open(`${row.id} `)}>Show all</button></p>` : nothing}`;
}

function open(what: string): void {
  if (opened.size >= OPENED_MAX) opened.clear();
  opened.add(what);
  store.changed();
}

function drawFact(row: Waiting, key: string, value: string): TemplateResult {
  const name = row.kind === 'approval' ? asWritten(key, key.length) : clip(key, 80);
  if (value.length <= LINE_MAX && !value.includes('\n')) return html`<p class="fact" dir="auto"><span>${name}</span> ${asWritten(value, LINE_MAX)}</p>`;
  return html`<p class="fact"><span>${name}</span></p><pre class="fact whole" tabindex="0" aria-label=${name} dir="auto">${drawWhole(row, key, value, ARGUMENT_MAX)}</pre>`;
}

/** A text with its lines as they are; beyond so many characters when somebody asks for it. */
function drawWhole(row: Waiting, key: string, text: string, most: number): TemplateResult {
  const what = `${row.id} ${key}`;
  return text.length <= most || row.kind === 'approval' || opened.has(what)
    ? html`${asWritten(text, text.length)}`
    : html`${asWritten(text, most)}… <button class="inline" @click=${() => open(what)}>Show all (${text.length.toLocaleString('en')} characters)</button>`;
}

/** What is said until it takes effect. */
const UNDER_WAY: Partial<Record<string, string>> = { Approved: 'Approving', Denied: 'Denying' };

function drawDecided(row: Waiting, now: number, name: string): TemplateResult {
  const { said, effectAt } = answerTo(row)!;
  const left = effectAt > now ? Math.ceil((effectAt - now) / 1000) : 0;
  return html`<div class="buttons" role="status"><span>${left ? `${UNDER_WAY[said] ?? said} in ${left} s` : said}</span>
    ${left ? html`<button ?disabled=${isBusy(row)} aria-label="Undo: ${clip(row.text, 100)}, for ${name}" @click=${() => void undecide(row)}>Undo</button>` : nothing}</div>`;
}

function approvalButtons(row: Waiting, name: string): TemplateResult {
  const what = clip(row.text, 100);
  const asked = askedBy(row);
  const digest = typeof asked === 'string' ? undefined : asked.digest;
  const refusal = whyNot(row);
  return html`
    ${refusal !== null ? html`<span class="none">${refusal}</span>` : html`
      ${typeof asked === 'string' || approvedHere(row) ? nothing : html`<button class="primary" ?disabled=${isBusy(row)} aria-label="Approve: ${what}, for ${name}" @click=${() => decide(row, 'approved', digest)}>Approve</button>`}
      <button ?disabled=${isBusy(row)} aria-label="Deny: ${what}, for ${name}" @click=${() => decide(row, 'denied', digest)}>Deny</button>`}
    <button ?disabled=${!!store.past || !store.org.agents.has(row.workspace_id)} aria-label="Reply to ${name}" @click=${() => { show(row.workspace_id, 'talk'); write(); }}>Reply</button>`;
}

function drawReply(row: Waiting, name: string): TemplateResult {
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).querySelector('input')!;
    const words = field.value.trim();
    if (words && (await reply(row, words))) field.value = '';
  };
  return html`<form class="reply" @submit=${send}>
    <input name="answer" maxlength="60000" autocomplete="off" dir="auto" ?disabled=${isBusy(row)} aria-label="Your reply to ${name}" placeholder=${row.details['asks_for'] === 'auth' ? 'Credentials to use, or where they are' : 'Your reply'} />
    <button class="primary" ?disabled=${isBusy(row)} aria-label="Reply to ${name}">Reply</button>
  </form>`;
}

function budgetButtons(row: Waiting, name: string): TemplateResult {
  const limit = Number(row.details['budget_limit']) || 0;
  const agent = store.org.agents.get(row.workspace_id);
  return html`
    ${limit > 0 ? html`<button class="primary" ?disabled=${isBusy(row)} aria-label="Raise limit of ${name} by ${dollars(limit)} a month" @click=${() => allow(row, 2 * limit)}>Raise by ${dollars(limit)}</button>` : nothing}
    <button ?disabled=${!agent} aria-label="Edit limit of ${name}" @click=${() => show(row.workspace_id, 'about')}>Edit limit…</button>`;
}

/** Of a team and all below it, or of a piece of work: as much again. What was handed on has the limit of who handed it on. */
function limitButtons(row: Waiting, name: string): TemplateResult {
  const { of, id, limit } = row.details;
  const more = Number(limit) || 0;
  const whose = of === 'organization' ? 'the organization' : of === 'tenant' ? `the tenant ${clip(String(row.details['title'] ?? ''), 60)}` : of === 'team' ? `the team of ${name}` : `“${clip(String(row.details['title'] ?? ''), 60)}”`;
  const raised = of === 'team' || of === 'work' || ((of === 'tenant' || of === 'organization') && mayRule());
  return html`
    ${raised && more > 0 && (of !== 'work' || mayAct()) ? html`<button class="primary" ?disabled=${isBusy(row)} aria-label="Raise limit of ${whose} by ${money(more)}" @click=${() => allowMore(row, 2 * more)}>Raise by ${money(more)}</button>` : nothing}
    ${of === 'work' && mayAct() ? html`<button ?disabled=${isBusy(row)} aria-label="Stop ${whose} here" @click=${() => stopHere(row)}>Stop here</button>` : nothing}
    ${of === 'work' ? html`<button aria-label="See ${whose}" @click=${() => look({ screen: 'work', work: String(id), selected: null })}>See it</button>` : nothing}
    ${of === 'team' ? html`<button ?disabled=${!store.org.agents.has(row.workspace_id)} aria-label="Who is in ${whose}" @click=${() => show(row.workspace_id, 'about')}>See the team</button>` : nothing}`;
}

/** What a model costs that was used without a price. */
function priceForm(row: Waiting): TemplateResult {
  const model = clip(String(row.details['model'] ?? ''), 100);
  return html`${mayRule() ? html`<form class="reply" @submit=${(event: Event) => {
      const { field } = submitted(event);
      setPrice(row, Number(field('in')), Number(field('out')));
    }}>
    <input name="in" type="number" required min="0" max="1000000" step="any" ?disabled=${isBusy(row)} aria-label="Input price of ${model}, US dollars per million tokens" placeholder="input, $ per million tokens" />
    <input name="out" type="number" required min="0" max="1000000" step="any" ?disabled=${isBusy(row)} aria-label="Output price of ${model}, US dollars per million tokens" placeholder="output" />
    <button class="primary" ?disabled=${isBusy(row)} aria-label="Save the price of ${model}">Save price</button>
  </form>` : nothing}
  ${settledButton(row)}`;
}

/** A run that costs more than others of its kind: on its page it can be stopped. */
function costButtons(row: Waiting): TemplateResult {
  const { id, title } = row.details;
  return html`<button aria-label="See “${clip(String(title ?? ''), 60)}”" @click=${() => look({ screen: 'work', work: String(id), selected: null })}>See it</button> ${settledButton(row)}`;
}

function doubtButtons(row: Waiting): TemplateResult {
  const target = String(row.details['target_id'] ?? '');
  const asked = clip(store.org.agents.get(target)?.name ?? 'the other', 40);
  return html`
    ${settledButton(row)}
    ${row.details['delegation_id'] && store.org.agents.has(target) ? holdButton('Retry', () => redo(row), { says: `Retry with ${asked}: ${clip(row.text, 100)}`, disabled: isBusy(row) }) : nothing}
    ${store.org.agents.has(target) ? html`<button @click=${() => show(target, 'talk')}>Ask ${asked}</button>` : nothing}`;
}

const settledButton = (row: Waiting): TemplateResult => html`<button ?disabled=${isBusy(row)} aria-label="${row.kind === 'outcome_unknown' ? 'It ran, or dismiss' : 'Dismiss'}: ${clip(row.text, 100)}" @click=${() => dismiss(row)}>${row.kind === 'outcome_unknown' ? 'It ran' : 'Dismiss'}</button>`;

function strangerButtons(row: Waiting, name: string): TemplateResult {
  return html`
    <button class="primary" ?disabled=${isBusy(row)} aria-label="Approve agent ${name}" @click=${() => admit(row)}>Approve agent</button>
    <button ?disabled=${isBusy(row) || !store.org.agents.has(row.workspace_id)} aria-label="Reject ${name}" @click=${() => look({ dialog: { kind: 'delete', id: row.workspace_id } })}>Reject…</button>`;
}

function brokenButtons(row: Waiting, name: string): TemplateResult | typeof nothing {
  const agent = store.org.agents.get(row.workspace_id);
  if (!agent) return nothing;
  const missing = lacksKey(row);
  return html`
    ${missing ? html`<button class="primary" aria-label="Add API key for ${name}" @click=${() => showField(agent.id, 'key')}>Add API key…</button>
      <button aria-label="Choose model for ${name}" @click=${() => showField(agent.id, 'model')}>Choose model…</button>` : nothing}
    <button ?disabled=${!!store.past} aria-label="Restart ${name}" @click=${() => void restart(agent)}>Restart</button>
    ${missing ? nothing : html`<button aria-label="Settings of ${name}" @click=${() => show(agent.id, 'about')}>Settings…</button>`}`;
}

/** Said by name where the platform knows it; else by the words of whoever tried to start. */
const lacksKey = ({ text, details: { missing } }: Waiting): boolean => (Array.isArray(missing) && missing.length > 0) || /\b(has a key|has no key|api[ _]key|model_unavailable)\b/i.test(text);

/** Of an agent that cannot start: the mend that its log names, under the agent that printed it last. */
function drawFix(row: Waiting): TemplateResult | typeof nothing {
  const agent = store.live.agents.get(row.workspace_id);
  if (row.kind !== 'failed' || store.past || !agent || agent.runtime === 'external') return nothing;
  const path = `/workspaces/${agent.id}/console`;
  if (fixOf.get(row.id) !== row.position) {
    if (fixOf.has(row.id)) forget(path); // it failed again
    if (fixOf.size >= OPENED_MAX) fixOf.clear();
    fixOf.set(row.id, row.position);
  }
  const output = read<{ output?: string }>(path).value?.output ?? '';
  const fix = fixIn(output);
  return fix ? html`<p class="fact plain-words fix" dir="auto"><span>Fix:</span> ${clip(fix, SAID_MAX)}</p>` : nothing;
}

/** Which start the log was read of, by the row that says that it failed. */
const fixOf = new Map<string, number>();

const FIELD_FRAMES = 120;

/** Opens the settings at a field, which is drawn once they were read. */
function showField(id: string, name: string, frames = FIELD_FRAMES): void {
  if (frames === FIELD_FRAMES) show(id, 'about');
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`agent-panel input[name=${name}]`);
    if (field) {
      field.scrollIntoView({ block: 'center' });
      field.focus();
    } else if (frames > 0) showField(id, name, frames - 1);
  });
}

/** Where one writes to the agent that was just opened: it is drawn in the next frame. */
const write = (): void => void requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector<HTMLElement>('agent-panel ask-composer textarea')?.focus()));

function show(id: string, tab: Tab): void {
  if (store.org.agents.has(id)) look({ selected: id, talkTo: id, tab });
}

/** One thing that waits, alone; or all of them. What a link opens, and what a phone shows one of at a time. */
class NeedsScreen extends Part {
  private finger: { x: number; y: number } | null = null;

  override render(): TemplateResult {
    const { now } = store;
    const open = openRows(store.org);
    const row = view.waits === null ? null : (rowOf(store.org, view.waits) ?? null);
    return html`
      <div class="needs-page ${row ? 'alone' : ''}" @touchstart=${{ handleEvent: (event: TouchEvent) => this.put(event), passive: true }} @touchend=${(event: TouchEvent) => this.lifted(event, open, row)}>
        <header>
          <h2>${view.waits === null ? needTitle() : row ? (answerTo(row)?.state === 'decided' ? 'Decided' : `${nameIn(row)} ${onlyLooks() ? 'waits' : 'needs you'}`) : 'Resolved'}</h2>
          ${row ? html`<button class="copy" @click=${() => copyLink(`#needs=${linkOf(row)}`)}>Copy link</button>` : nothing}
        </header>
        ${view.waits === null ? drawNeeds(now) : row ? drawRow(row, now) : drawGone(view.waits, now)}
        ${view.waits === null ? nothing : this.drawNext(after(open, row))}
      </div>
    `;
  }

  private put(event: TouchEvent): void {
    const [touch] = event.touches;
    const held = (event.target as Element).closest('input, textarea, select, pre'); // which are moved by themselves
    this.finger = touch && !held && event.touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : null;
  }

  /** A finger that wipes it aside leaves it for later: it never decides. */
  private lifted(event: TouchEvent, open: Waiting[], row: Waiting | null): void {
    const [touch] = event.changedTouches;
    const from = this.finger;
    this.finger = null;
    if (!touch || !from || !row) return;
    const [dx, dy] = [Math.abs(touch.clientX - from.x), Math.abs(touch.clientY - from.y)];
    const next = after(open, row);
    if (dx > SWIPE_MIN && dx > 2 * dy && next) look({ waits: linkOf(next) });
  }

  private drawNext(next: Waiting | null): TemplateResult {
    return next
      ? html`<nav class="buttons"><button @click=${() => look({ waits: linkOf(next) })}>Next: ${nameIn(next)}</button>
          <button @click=${() => look({ waits: null })}>All items</button></nav>`
      : html`<nav class="buttons"><span class="none">No other items.</span> <button @click=${() => look({ screen: 'map', waits: null })}>Show map</button></nav>`;
  }
}

/** What was decided before, by somebody or by time; where time did, it may be asked again. */
function drawGone(named: string, now: number): TemplateResult {
  const asked = askedFor(named);
  const whose = store.live.agents.get(store.live.settled.get(named)?.workspaceId ?? '')?.name;
  return html`${asked ? html`<p class="asked" dir="auto"><b dir="auto">${clip(whose ?? '', 60)}</b> ${clip(asked, 300)}</p>` : nothing}
    <p class="gone">${settledWords(named, now)}</p>
    ${missedBy(named) && mayAct(missedBy(named)) ? html`<div class="buttons again"><button class="primary" ?disabled=${!!store.past} @click=${() => void askAgain(named)}>Request again</button></div>` : nothing}`;
}

/** Round and round, so that all are come by. */
function after(open: Waiting[], row: Waiting | null): Waiting | null {
  const next = open[(open.findIndex((one) => one === row) + 1) % open.length];
  return next === undefined || next === row ? null : next;
}

customElements.define('needs-screen', NeedsScreen);
