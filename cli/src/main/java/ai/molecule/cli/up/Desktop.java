package ai.molecule.cli.up;

import ai.molecule.cli.Console;
import java.io.IOException;
import java.util.Locale;

/** The browser of who started the platform, by the command that a desktop has for it. */
final class Desktop {

    private Desktop() {}

    /** Never fails: where there is no browser the address stands on the screen. */
    static void show(String url, Console console) {
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
