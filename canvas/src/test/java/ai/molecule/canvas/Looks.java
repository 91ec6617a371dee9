package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/** Pictures of a screen for somebody to look at, and what axe-core sees in them: nothing serious. */
final class Looks {

    private Looks() {}

    /** Light, dark and on a phone; axe sees the dark window and the light phone. */
    static void at(Browser browser, String name, String shows) {
        List<String> findings = new ArrayList<>();
        for (String theme : List.of("light", "dark")) {
            browser.size(1440, 900).prefers("prefers-color-scheme", theme);
            browser.see(shows);
            browser.picture(name + "-" + theme);
        }
        findings.addAll(browser.seriousFindings());
        browser.prefers("prefers-color-scheme", "light").size(390, 844);
        browser.see(shows);
        browser.picture(name + "-phone");
        findings.addAll(browser.seriousFindings());
        assertThat(findings).as(name).isEmpty();
        browser.size(1440, 900);
    }
}
