package ai.molecule.runtime.fetch;

import ai.molecule.runtime.tools.Arguments;
import ai.molecule.runtime.tools.Excerpt;
import ai.molecule.runtime.tools.Schema;
import ai.molecule.runtime.tools.Section;
import ai.molecule.runtime.tools.ToolRefusal;
import ai.molecule.runtime.tools.ToolSpec;
import java.net.InetAddress;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;

/** {@code fetch}: a page of the web as text. */
public final class FetchTool implements AutoCloseable {

    /** Networks beside the public ones that the operator opens to agents' {@code fetch}. */
    public static final String VARIABLE = "MOLECULE_FETCH_NETWORKS";

    static final int ANSWER_MAX_CHARS = 40_000;

    private static final int AT_ONCE_MAX = 8;
    private static final int URL_MAX_CHARS = 4_000;
    private static final Pattern CHARSET = Pattern.compile("(?i)charset=\"?([\\w.:-]{1,40})");

    private final PageLoader loader;
    private final Semaphore free = new Semaphore(AT_ONCE_MAX);

    private FetchTool(PageLoader loader) {
        this.loader = loader;
    }

    /** @param networks of {@link #VARIABLE}; {@link IllegalArgumentException} names the one that is none */
    public static FetchTool reaching(String networks) {
        return with(Networks.listedIn(networks), InetAddress::getAllByName);
    }

    static FetchTool with(Networks networks, PageLoader.Lookup lookup) {
        return new FetchTool(new PageLoader(networks, lookup));
    }

    public ToolSpec tool() {
        return new ToolSpec(
                "fetch",
                "Read a page of the web as text.",
                "",
                new Schema()
                        .required("url", "http or https.")
                        .optional("start", "integer", "From which character on; 0 when left out.")
                        .json(),
                (toolbox, arguments) -> fetch(arguments),
                Section.OWN,
                false);
    }

    @Override
    public void close() {
        loader.close();
    }

    private String fetch(Arguments arguments) throws InterruptedException {
        String url = arguments.text("url");
        if (url.isEmpty() || url.length() > URL_MAX_CHARS) {
            throw new ToolRefusal("url must be given, with at most " + URL_MAX_CHARS + " characters");
        }
        int start = arguments.number("start", 0, 0, Integer.MAX_VALUE);
        if (!free.tryAcquire()) {
            throw new ToolRefusal(AT_ONCE_MAX + " pages are being read, wait for one of them");
        }
        try {
            return told(loader.load(url), start);
        } finally {
            free.release();
        }
    }

    private static String told(PageLoader.Page page, int start) {
        String type = page.type().toLowerCase(Locale.ROOT).split(";", -1)[0].strip();
        if (!isText(type)) {
            throw new ToolRefusal("it is " + Excerpt.of(type, 80) + ", which is no text");
        }
        String raw = page.body().toString(charset(page.type()));
        String text = type.contains("html") ? PageText.of(raw) : raw;
        String from = text.substring(Math.min(start, text.length()));
        String shown = Excerpt.of(from, ANSWER_MAX_CHARS);
        int rest = from.length() - shown.length();
        return page.url() + " (" + page.status() + ")\n\n" + shown
                + (rest > 0 ? "\n[" + rest + " more characters, from start " + (start + shown.length()) + "]" : "")
                + (page.cut() ? "\n[the page is larger than 2 MiB; the rest was not read]" : "");
    }

    private static boolean isText(String type) {
        return type.isEmpty()
                || type.startsWith("text/")
                || type.endsWith("json")
                || type.endsWith("xml")
                || type.equals("application/javascript");
    }

    private static Charset charset(String type) {
        var named = CHARSET.matcher(type);
        try {
            return named.find() ? Charset.forName(named.group(1)) : StandardCharsets.UTF_8;
        } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
            return StandardCharsets.UTF_8;
        }
    }
}
