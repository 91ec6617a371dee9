package ai.molecule.runtime.rehearsed;

import java.util.List;
import java.util.regex.Pattern;

/** The page that the writer makes of what it is told: the same words, the same bytes. */
final class Report {

    private static final Pattern SUM = Pattern.compile("(\\d+) of (\\d+) checks pass");

    private Report() {}

    /** {@code Not ready: 2 of 48 checks fail}. */
    static String headline(String facts) {
        var sum = SUM.matcher(facts);
        if (!sum.find()) {
            return "Nobody counted the checks";
        }
        int all = Integer.parseInt(sum.group(2));
        int failing = all - Integer.parseInt(sum.group(1));
        return failing == 0
                ? "Ready: all %d checks pass".formatted(all)
                : "Not ready: %d of %d checks fail".formatted(failing, all);
    }

    static String html(String request) {
        List<String> facts = request.lines()
                .skip(1)
                .map(line -> line.replaceAll(" \\(work [a-z0-9-]+\\)", ""))
                .filter(line -> !line.isBlank())
                .toList();
        var page = new StringBuilder();
        page.append("<!doctype html><title>").append(headline(request)).append("</title>\n");
        page.append("<h1>").append(headline(request)).append("</h1>\n<ul>\n");
        facts.forEach(fact -> page.append("  <li>").append(escaped(fact)).append("</li>\n"));
        return page.append("</ul>\n<p>Source: calendar.csv, ./check</p>\n").toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
