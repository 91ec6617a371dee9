import { html, nothing, svg, type TemplateResult } from 'lit';
import { call, says } from './api';
import { ofTheClock } from './clockwords';
import { stateOf, taskStateOf } from './held';
import type { Agent } from './model';
import './piece.css';
import { pieceThen } from './past';
import { blocksOf, type Block } from './reader';
import { repeat } from './repeat';
import { mayAct, mayRule } from './rights';
import { store } from './store';
import { talk } from './talk';
import { namesOf, runningIn, stopAll } from './stopping';
import { Part, copyLink, look, saves, toast, view } from './view';
import { sumsOf, waterfallOf, type Bar } from './waterfall';
import { pathOf, works, type PieceOfWork, type Words, type WorkFile } from './work';
import { STATES, costOf } from './works';
import { MOODS, STOPPED, asked, clip, clock, count, elapsed, exactly, waiting, type Mood } from './words';

const TASK_MOODS: Record<string, { mood: Mood; glyph: string; word: string }> = {
  running: { mood: 'working', glyph: MOODS.working.glyph, word: 'working' },
  waiting: { mood: 'needs', glyph: MOODS.needs.glyph, word: 'waits for you' },
  ok: { mood: 'idle', glyph: '✓', word: 'done' },
  error: { mood: 'failed', glyph: MOODS.failed.glyph, word: 'failed' },
  stopped: STOPPED,
  unknown: { mood: 'doubt', glyph: MOODS.doubt.glyph, word: 'outcome unknown' },
};

/** Brains that ask no model, so that what they did cost nothing. */
const FREE = new Set(['rehearsed', 'echo', 'delegate']);
const WORDS_SHOWN = 30;
const READ_MAX = 400_000;
const STOPS_NAMED = 5;

interface Opened {
  key: string;
  blocks: Block[];
  note: string;
}

/** One piece of work: how far it is, what came out, who did what and when, what was said. */
class Piece extends Part {
  private opened: Opened | null = null;
  private everything = false;
  private shown = '';
  private looked = false;
  private stopping = '';

  override render(): TemplateResult {
    const id = view.work ?? '';
    const read = works.pieces.get(id);
    const piece = read && store.past ? pieceThen(read, store.now) : read;
    const note = read && !piece ? 'The run had not started yet.' : works.notes.get(id);
    if (this.shown !== id) {
      this.shown = id;
      this.everything = false;
      this.opened = null;
      this.looked = false;
    }
    return html`
      <div class="piece-of-work">
        <nav aria-label="Runs"><button @click=${() => look({ work: null })}>← Runs</button>${read && piece ? html`<button @click=${() => copyLink()}>Copy link</button>` : nothing}</nav>
        ${read && piece ? this.drawPiece(piece, read) : note ? html`<p class="nothing">${note}</p>` : html`<p class="none">Reading…</p>`}
      </div>
    `;
  }

  /** @param whole as it is now: its bars are drawn whole in the past too, with a line where the moment is */
  private drawPiece(piece: PieceOfWork, whole: PieceOfWork): TemplateResult {
    const state = STATES[stateOf(piece)] ?? STATES.working;
    const { now } = store;
    const { agents, messages } = sumsOf(piece);
    const took = (piece.ended_at ? Date.parse(piece.ended_at) : now) - Date.parse(piece.created_at);
    const decisions = [...store.live.settled.values()].filter(({ by, at }) => by && at >= Date.parse(piece.created_at) && at <= (piece.ended_at ? Date.parse(piece.ended_at) : now)).length;
    const facts = [elapsed(took), count(agents, 'agent'), count(messages, 'message'), decisions ? `${count(decisions, 'decision')} by you` : '', costWords(piece)];
    const answer = this.answerOf(piece);
    const first = piece.files.map((file) => ({ file, path: pathOf(file.uri) })).find(({ path }) => path !== null);
    if (!this.looked && piece.ended_at && first) {
      this.looked = true; // what came out is open at once; who closes it is not asked again
      void this.read(first.file.workspace_id, first.path!, first.file.uri);
    }
    return html`
      <header>
        <p class="state mood-${state.mood}"><span class="glyph" aria-hidden="true">${state.glyph}</span> <b class="mood-${state.mood}">${state.word}</b> <span class="time">Started ${clock(Date.parse(piece.created_at), Date.now())}</span></p>
        <h2 dir="auto">${clip(piece.title, 200)}</h2>
        <p class="facts">${facts.filter((fact) => fact).join(' · ')}${piece.due ? ` · due ${clock(Date.parse(piece.due), Date.now())}` : ''}</p>
        ${store.past ? nothing : this.drawStop(piece)}
      </header>
      ${piece.brief && piece.brief.trim() !== piece.title.trim() ? html`<p class="brief" dir="auto">${clip(piece.brief, 2000)}</p>` : nothing}
      ${piece.files.length ? html`<section aria-label="Files"><h3>Files</h3><ul class="files">${piece.files.slice(0, 100).map((file) => this.drawFile(file))}</ul>${this.drawOpened()}</section>` : nothing}
      ${answer ? html`<section class="answer" aria-label="Result"><h3>Result</h3><p class="words" dir="auto">${answer}</p></section>` : nothing}
      <section aria-label="Timeline"><h3>Timeline</h3>${this.drawFall(whole, now)}</section>
      ${this.drawWords(piece)}
      ${piece.ended_at && mayAct() && this.isRehearsed(piece) ? this.drawDoors() : nothing}
    `;
  }

  /** Everybody who is at it, by name, before it is pressed. */
  private drawStop(piece: PieceOfWork): TemplateResult | typeof nothing {
    const running = runningIn(piece.id);
    if (!running.length || !running.every((task) => mayAct(task.target_id))) return nothing;
    const names = namesOf(running);
    const stop = async (): Promise<void> => {
      this.stopping = piece.id;
      this.requestUpdate();
      const left = await stopAll(running);
      toast(left.length ? `Not all of it stopped. ${clip(left.join('; '), 300)}` : `Stopped: ${names.join(', ')}.`);
      await works.readPiece(piece.id);
      this.stopping = '';
      this.requestUpdate();
    };
    return html`<p class="stop"><button ?disabled=${this.stopping === piece.id} @click=${() => void stop()}>Stop run</button> <span class="none" dir="auto">stops ${names.slice(0, STOPS_NAMED).join(', ')}${names.length > STOPS_NAMED ? ` and ${names.length - STOPS_NAMED} more` : ''}; finished work is kept</span></p>`;
  }

  /** What the person was told; of a stream it is in the conversation. */
  private answerOf(piece: PieceOfWork): string {
    const told = piece.words.filter((one) => one.kind === 'answer' && one.to === null).map((one) => one.text).at(-1);
    if (told) return told.slice(0, 20_000);
    if (!piece.ended_at) return '';
    void talk.recall(piece.to);
    const turns = talk.with(piece.to).turns;
    const question = turns.find((turn) => turn.from === 'you' && turn.text === piece.brief && Math.abs(turn.at - Date.parse(piece.created_at)) < 15_000);
    const heard = question && turns.find((turn) => turn.key === question.key.replace(/:q$/, ':a'));
    return heard ? (heard.text || heard.note).slice(0, 20_000) : '';
  }

  private isRehearsed(piece: PieceOfWork): boolean {
    return piece.tree.length > 1 && piece.tree.every((task) => store.live.agents.get(task.target_id)?.runtime === 'rehearsed');
  }

  private drawFile(file: WorkFile): TemplateResult {
    const path = pathOf(file.uri);
    const by = clip(store.live.agents.get(file.workspace_id)?.name ?? 'Deleted agent', 60);
    const name = clip(file.name || (path ?? file.uri).split('/').at(-1)!, 120);
    return html`<li>
      <span class="name" dir="auto">${name}</span> <span class="none">by ${by}</span>
      ${path
        ? html`<button aria-expanded=${this.opened?.key === file.uri ? 'true' : 'false'} @click=${() => void this.read(file.workspace_id, path, file.uri)}>${this.opened?.key === file.uri ? 'Close' : 'Read'}</button>
            <a href="/workspaces/${file.workspace_id}/chat/download?path=${encodeURIComponent(path)}" download=${name} @click=${saves}>Download</a>`
        : html`<span class="none">${clip(file.uri, 200)}</span>`}
    </li>`;
  }

  private drawOpened(): TemplateResult | typeof nothing {
    if (!this.opened) return nothing;
    return html`<article class="paper" tabindex="0" aria-label="File content">
      ${this.opened.note ? html`<p class="none">${this.opened.note}</p>` : nothing}
      ${this.opened.blocks.map((block) =>
        block.kind === 'title' ? html`<h4 class="title" dir="auto">${block.text}</h4>`
        : block.kind === 'heading' ? html`<h4 dir="auto">${block.text}</h4>`
        : block.kind === 'item' ? html`<p class="item" dir="auto">${block.text}</p>`
        : block.kind === 'code' ? html`<pre dir="auto">${block.text}</pre>`
        : html`<p dir="auto">${block.text}</p>`)}
    </article>`;
  }

  private async read(workspaceId: string, path: string, key: string): Promise<void> {
    if (this.opened?.key === key) {
      this.opened = null;
      this.requestUpdate();
      return;
    }
    const [, root, ...rest] = path.split('/');
    const opened: Opened = { key, blocks: [], note: 'Reading…' };
    this.opened = opened;
    this.requestUpdate();
    try {
      const file = await call<{ content: string }>('GET', `/workspaces/${workspaceId}/files/${rest.map(encodeURIComponent).join('/')}?root=/${root}`);
      opened.note = file.content.length > READ_MAX ? 'Only its beginning; download it for the rest.' : file.content ? '' : 'The file is empty.';
      opened.blocks = blocksOf(path, file.content.slice(0, READ_MAX));
    } catch (failure) {
      opened.note = `It cannot be read: ${says(failure)}`;
    }
    this.requestUpdate();
  }

  private drawFall(piece: PieceOfWork, now: number): TemplateResult {
    if (!piece.tree.length) return html`<p class="none">The run has not started yet.</p>`;
    const fall = waterfallOf(piece, Date.now());
    const here = store.past && now >= fall.begin && now <= fall.end ? fall.place(now) * 1000 : null;
    return html`
      <div class="fall" role="table" aria-label="Tasks, each below the one it was begun for">
        ${repeat(fall.bars, (bar) => bar.task.id, (bar) => this.drawBar(piece, bar, here, fall.folds.map((fold) => fold.at)))}
      </div>
      <div class="axis" aria-hidden="true"><span></span><span class="scale"><i>${exactly(fall.begin)}</i>${fall.folds.length ? html`<i>${fall.folds.length === 1 ? `${waiting(fall.folds[0]!.millis)} idle gap hidden` : `${fall.folds.length} idle gaps hidden`}</i>` : nothing}<i>${piece.ended_at ? exactly(fall.end) : 'now'}</i></span></div>
    `;
  }

  private drawBar(piece: PieceOfWork, bar: Bar, here: number | null, folds: number[]): TemplateResult {
    const { task } = bar;
    const state = TASK_MOODS[taskStateOf(piece, task)] ?? TASK_MOODS['running']!;
    const agent = store.live.agents.get(task.target_id);
    const took = elapsed((task.ended_at ? Date.parse(task.ended_at) : Date.now()) - Date.parse(task.started_at));
    const x = bar.from * 1000;
    const w = Math.max(4, (bar.to - bar.from) * 1000);
    return html`
      <div class="task mood-${state.mood} deep${bar.depth}" role="row">
        <span class="who" role="cell"><button class="plain" @click=${() => show(agent)} ?disabled=${!agent} title=${clip(asked(task.preview), 60)}>
          <span class="glyph" aria-hidden="true">${state.glyph}</span> <span class="name" dir="auto">${clip(agent?.name ?? 'Deleted agent', 60)}</span></button></span>
        <span class="bar" role="cell" title="${clip(asked(task.preview), 60)}">
          <svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
            <rect class="ground" x="0" y="9" width="1000" height="2"></rect>
            <rect class="span" x=${x} y="4" width=${w} height="12" rx="2"></rect>
            ${folds.map((at) => svg`<rect class="fold" x=${at * 1000 - 2} y="0" width="4" height="20"></rect>`)}
            ${here === null ? nothing : svg`<rect class="here" x=${here - 1} y="0" width="2" height="20"></rect>`}
          </svg>
          <span class="unseen">${state.word}: ${clip(asked(task.preview), 60)}</span>
        </span>
        <span class="took time" role="cell">${took}</span>
      </div>
    `;
  }

  private drawWords(piece: PieceOfWork): TemplateResult | typeof nothing {
    const all = piece.words.filter((one) => one.text);
    if (!all.length) return nothing;
    const shown = this.everything ? all : all.slice(0, WORDS_SHOWN);
    const byTheClock = new Set(piece.tree.filter((task) => ofTheClock(task.message_id ?? '')).map((task) => task.id));
    const teller = (one: Words): string => (one.from === null && byTheClock.has(one.task_id) ? 'Schedule' : name(one.from));
    const name = (id: string | null) => (id === null ? 'You' : clip(store.live.agents.get(id)?.name ?? 'Deleted agent', 60));
    return html`
      <section aria-label="Messages"><h3>Messages</h3>
        ${repeat(shown, (one) => `${one.task_id}:${one.kind}`, (one) => html`
          <article class="said ${one.kind}">
            <p class="by"><b dir="auto">${teller(one)}</b> to <span dir="auto">${name(one.to)}</span> <span class="time">${exactly(Date.parse(one.at))}</span></p>
            <p class="words" dir="auto">${this.everything ? one.text : cut(asked(one.text))}</p>
          </article>`)}
        ${all.length > shown.length || all.some((one) => cut(one.text) !== one.text) ? html`<button @click=${() => { this.everything = !this.everything; this.requestUpdate(); }}>${this.everything ? 'Show less' : 'Show all'}</button>` : nothing}
      </section>
    `;
  }

  private drawDoors(): TemplateResult {
    const door = (tab: string, title: string, what: string) => html`<button class="start" @click=${() => look({ dialog: { kind: 'add', id: tab } })}><b>${title}</b><span class="what">${what}</span></button>`;
    return html`
      <section class="doors" aria-label="What next"><h3>What next</h3>
        <p class="none">These model answers were recorded. Drag the timeline below to see how the run went, then:</p>
        <div class="starts">
          ${door('invite', 'Connect Claude Code', 'One line to paste; or Codex, Gemini, any A2A agent.')}
          ${mayRule() ? door('key', 'Add API key', 'Agents with a model of a provider.') : nothing}
          ${door('team', 'Import team', 'From an example, or from a file of yours.')}
        </div>
      </section>
    `;
  }
}

const cut = (text: string): string => (text.length <= 600 ? text : text.slice(0, 600).trimEnd() + '…');

function costWords(piece: PieceOfWork): string {
  const unmetered = piece.tree.some((task) => store.live.agents.get(task.target_id)?.metered === false);
  const metered = piece.metered ?? (unmetered ? false : undefined);
  const told = costOf({ ...piece, ...(metered === undefined ? {} : { metered }) });
  if (piece.cost !== null || metered === false) return told;
  const free = piece.tree.length > 0 && piece.tree.every((task) => FREE.has(store.live.agents.get(task.target_id)?.runtime ?? ''));
  return [free ? '$0.00' : 'Cost unavailable', told].filter((part) => part).join(', ');
}

function show(agent: Agent | undefined): void {
  if (agent) look({ selected: agent.id, talkTo: agent.id });
}

customElements.define('piece-of-work', Piece);
