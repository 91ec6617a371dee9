package ai.molecule.runtime.fetch;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What of a page's HTML a reader would read: its words by paragraph, and where its links lead. One pass, whatever the page is like: nothing is looked for behind where it could end. */
final class PageText {

    private static final Set<String> UNSEEN = Set.of("script", "style", "noscript", "template", "svg", "head");
    private static final Set<String> BLOCKS = Set.of(
            "p",
            "div",
            "br",
            "li",
            "ul",
            "ol",
            "tr",
            "table",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "section",
            "article",
            "header",
            "footer",
            "main",
            "nav",
            "pre",
            "blockquote",
            "dt",
            "dd",
            "hr",
            "title");
    private static final Map<String, String> NAMED = Map.of(
            "amp", "&", "lt", "<", "gt", ">", "quot", "\"", "apos", "'", "nbsp", " ", "ndash", "–", "mdash", "—",
            "hellip", "…", "copy", "©");
    private static final int ENTITY_MAX_CHARS = 10;

    private final String html;
    private final StringBuilder text = new StringBuilder();
    private int at;
    private String link = "";

    private PageText(String html) {
        this.html = html;
    }

    static String of(String html) {
        var page = new PageText(html);
        page.read();
        return page.text
                .toString()
                .replaceAll("[ \\t]*\\n[ \\t]*", "\n")
                .replaceAll("\\n{3,}", "\n\n")
                .strip();
    }

    private void read() {
        while (at < html.length()) {
            char next = html.charAt(at);
            if (next == '<') {
                tag();
            } else if (next == '&') {
                entity();
            } else {
                word(Character.isWhitespace(next) ? ' ' : next);
                at++;
            }
        }
    }

    private void tag() {
        if (html.startsWith("<!--", at)) {
            at = behind("-->", at);
            return;
        }
        int end = html.indexOf('>', at);
        if (end < 0) {
            at = html.length();
            return;
        }
        String inside = html.substring(at + 1, end);
        at = end + 1;
        boolean closes = inside.startsWith("/");
        String name = nameIn(closes ? inside.substring(1) : inside);
        if (UNSEEN.contains(name) && !closes) {
            skip(name);
        } else if (BLOCKS.contains(name)) {
            text.append('\n');
            if (name.equals("li") && !closes) {
                text.append("- ");
            }
        } else if (name.equals("a")) {
            link(closes, inside);
        }
    }

    /** Of the head the title is read. */
    private void skip(String name) {
        int end = indexOf("</" + name, at, html.length());
        if (name.equals("head")) {
            int title = indexOf("<title", at, end);
            if (title >= 0) {
                int from = html.indexOf('>', title, end);
                int to = from < 0 ? -1 : indexOf("</title", from, end);
                if (to >= 0) {
                    text.append(PageText.of(html.substring(from + 1, to))).append("\n\n");
                }
            }
        }
        at = end < 0 ? html.length() : behind(">", end);
    }

    private void link(boolean closes, String inside) {
        if (closes && !link.isEmpty()) {
            text.append(" <").append(link).append('>');
        }
        link = "";
        int href = inside.toLowerCase(Locale.ROOT).indexOf("href=");
        if (!closes && href >= 0) {
            String rest = inside.substring(href + 5);
            boolean quoted = rest.startsWith("\"") || rest.startsWith("'");
            int end = quoted ? rest.indexOf(rest.charAt(0), 1) : rest.indexOf(' ');
            String value = rest.substring(quoted ? 1 : 0, end < 0 ? rest.length() : end);
            link = value.startsWith("#") || value.startsWith("javascript:") ? "" : value.replace("&amp;", "&");
        }
    }

    private void entity() {
        int end = html.indexOf(';', at, Math.min(html.length(), at + ENTITY_MAX_CHARS + 1));
        if (end < 0) {
            word('&');
            at++;
            return;
        }
        String name = html.substring(at + 1, end);
        meaning(name).chars().forEach(one -> word(Character.isWhitespace(one) ? ' ' : (char) one));
        at = end + 1;
    }

    private static String meaning(String name) {
        if (name.matches("#\\d{1,7}|#[xX][0-9a-fA-F]{1,6}")) {
            boolean hex = name.charAt(1) == 'x' || name.charAt(1) == 'X';
            int point = hex ? Integer.parseInt(name.substring(2), 16) : Integer.parseInt(name.substring(1));
            return Character.isValidCodePoint(point) && point > 0 ? Character.toString(point) : "";
        }
        return NAMED.getOrDefault(name, "&" + name + ";");
    }

    private void word(char next) {
        boolean first = text.isEmpty() || Character.isWhitespace(text.charAt(text.length() - 1));
        if (next != ' ' || !first) {
            text.append(next);
        }
    }

    private static String nameIn(String inside) {
        int end = 0;
        while (end < inside.length() && Character.isLetterOrDigit(inside.charAt(end))) {
            end++;
        }
        return inside.substring(0, end).toLowerCase(Locale.ROOT);
    }

    private int behind(String end, int from) {
        int found = html.indexOf(end, from);
        return found < 0 ? html.length() : found + end.length();
    }

    /** Whatever the case. */
    private int indexOf(String tag, int from, int to) {
        for (int i = html.indexOf(tag.charAt(0), from, Math.max(from, to));
                i >= 0;
                i = html.indexOf(tag.charAt(0), i + 1, to)) {
            if (html.regionMatches(true, i, tag, 0, tag.length())) {
                return i;
            }
        }
        return -1;
    }
}
