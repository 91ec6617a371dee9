/** A file as a person reads it: headings, items and paragraphs as plain text. Markup of others is never made an element. */

export interface Block {
  kind: 'title' | 'heading' | 'item' | 'text' | 'code';
  text: string;
}

const BLOCKS_MAX = 2_000;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', '#39': "'" };
const ENDS: Record<string, RegExp> = { script: /<\/script\s*>/gi, style: /<\/style\s*>/gi, head: /<\/head\s*>/gi, title: /<\/title\s*>/gi };
const KINDS: Record<string, Block['kind']> = { h1: 'title', h2: 'heading', h3: 'heading', h4: 'heading', li: 'item', p: 'text', td: 'text', blockquote: 'text', pre: 'code' };

export function blocksOf(name: string, content: string): Block[] {
  if (/\.html?$/i.test(name)) return ofHtml(content);
  if (/\.(md|markdown)$/i.test(name)) return ofMarkdown(content);
  return content ? [{ kind: 'code', text: content }] : [];
}

function ofHtml(content: string): Block[] {
  const blocks: Block[] = [];
  let kind: Block['kind'] = 'text';
  let text = '';
  const close = () => {
    const words = kind === 'code' ? plain(text).trim() : plain(text).replace(/\s+/g, ' ').trim();
    if (words && blocks.length < BLOCKS_MAX) blocks.push({ kind, text: words });
    text = '';
    kind = 'text';
  };
  for (const piece of piecesOf(withoutUnseen(content))) {
    const tag = /^<\s*(?:(\/)\s*)?([a-zA-Z][a-zA-Z0-9]*)/.exec(piece);
    if (!tag) {
      if (!/^<[!?]/.test(piece)) text += piece;
      continue;
    }
    const named = KINDS[tag[2]!.toLowerCase()];
    if (named || /^(br|div|tr|ul|ol|table|section|article|hr)$/i.test(tag[2]!)) close();
    if (named && !tag[1]) kind = named;
  }
  close();
  return blocks;
}

/** Without comments and what no reader sees; one that does not end goes to the end. Each character is looked at once or twice: a file may be anybody's. */
function withoutUnseen(content: string): string {
  const begins = /<(?:!--|(script|style|head|title)\b)/gi;
  let left = '';
  let at = 0;
  for (let found = begins.exec(content); found; found = begins.exec(content)) {
    left += content.slice(at, found.index);
    const ends = found[1] ? ENDS[found[1].toLowerCase()]! : /-->/g;
    ends.lastIndex = begins.lastIndex;
    if (!ends.exec(content)) return left;
    at = begins.lastIndex = ends.lastIndex;
  }
  return left + content.slice(at);
}

/** Tags, and what stands between them. */
function* piecesOf(html: string): Generator<string> {
  let at = 0;
  for (let from = html.indexOf('<'); from >= 0; from = html.indexOf('<', at)) {
    const to = html.indexOf('>', from);
    if (to < 0) break;
    yield html.slice(at, from);
    yield html.slice(from, to + 1);
    at = to + 1;
  }
  yield html.slice(at);
}

const plain = (text: string): string => text.replace(/&(#?\w{1,8});/g, (whole, name: string) => ENTITIES[name] ?? whole);

function ofMarkdown(content: string): Block[] {
  const blocks: Block[] = [];
  let code: string[] | null = null;
  for (const line of content.split('\n')) {
    if (blocks.length >= BLOCKS_MAX) break;
    if (/^\s*```/.test(line)) {
      if (code) blocks.push({ kind: 'code', text: code.join('\n') });
      code = code ? null : [];
    } else if (code) code.push(line);
    else if (/^#\s/.test(line)) blocks.push({ kind: 'title', text: line.replace(/^#+\s*/, '') });
    else if (/^#{2,6}\s/.test(line)) blocks.push({ kind: 'heading', text: line.replace(/^#+\s*/, '') });
    else if (/^\s*([-*+]|\d+\.)\s/.test(line)) blocks.push({ kind: 'item', text: line.replace(/^\s*([-*+]|\d+\.)\s*/, '') });
    else if (line.trim()) blocks.push({ kind: 'text', text: line.trim() });
  }
  if (code) blocks.push({ kind: 'code', text: code.join('\n') });
  return blocks;
}
