/** A file as a person reads it: headings, items and paragraphs as plain text. Markup of others is never made an element. */

export interface Block {
  kind: 'title' | 'heading' | 'item' | 'text' | 'code';
  text: string;
}

const BLOCKS_MAX = 2_000;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', '#39': "'" };
const KINDS: Record<string, Block['kind']> = { h1: 'title', h2: 'heading', h3: 'heading', h4: 'heading', li: 'item', p: 'text', td: 'text', blockquote: 'text', pre: 'code' };

export function blocksOf(name: string, content: string): Block[] {
  if (/\.html?$/i.test(name)) return ofHtml(content);
  if (/\.(md|markdown)$/i.test(name)) return ofMarkdown(content);
  return content ? [{ kind: 'code', text: content }] : [];
}

function ofHtml(content: string): Block[] {
  const body = content.replace(/<!--[\s\S]*?-->/g, '').replace(/<(script|style|head|title)\b[\s\S]*?<\/\1\s*>/gi, '');
  const blocks: Block[] = [];
  let kind: Block['kind'] = 'text';
  let text = '';
  const close = () => {
    const words = kind === 'code' ? plain(text).trim() : plain(text).replace(/\s+/g, ' ').trim();
    if (words && blocks.length < BLOCKS_MAX) blocks.push({ kind, text: words });
    text = '';
    kind = 'text';
  };
  for (const piece of body.split(/(<[^>]*>)/)) {
    const tag = /^<\s*(\/?)\s*([a-zA-Z][a-zA-Z0-9]*)/.exec(piece);
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
