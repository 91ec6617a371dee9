package ai.molecule.sdk;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Tells of failures that repeat: the first three and then every tenth, or a platform that is away for a night fills the log. */
final class Complaints {

    private static final Logger LOGGER = System.getLogger("ai.molecule.sdk.loop");

    private final String what;
    private int inARow;

    Complaints(String what) {
        this.what = what;
    }

    /** @return how often it failed in a row, this one included */
    int failed(RuntimeException e) {
        inARow++;
        if (inARow <= 3 || inARow % 10 == 0) {
            String message = what + " failed (" + inARow + " in a row): " + e.getMessage();
            if (e instanceof PlatformException) {
                LOGGER.log(Level.WARNING, message);
            } else {
                LOGGER.log(Level.WARNING, message, e);
            }
        }
        return inARow;
    }

    void succeeded() {
        if (inARow > 0) {
            LOGGER.log(Level.INFO, "{0} works again", what);
        }
        inARow = 0;
    }
}
