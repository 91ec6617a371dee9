package ai.molecule.cli;

import java.io.IOException;
import java.util.Locale;

/** The browser of whoever is at this terminal, by the command that a desktop has for it. */
public final class Desktop {

    private Desktop() {}

    /** Never fails: where there is no browser the address stands on the screen. */
    public static void show(String url, Console console) {
        boolean mac = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac");
        try {
            new ProcessBuilder(mac ? "open" : "xdg-open", url)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .getOutputStream()
                    .close();
        } catch (IOException e) {
            console.say("no browser could be opened here; open " + url + " in yours");
        }
    }
}
