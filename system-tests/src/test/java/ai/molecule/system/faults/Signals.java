package ai.molecule.system.faults;

import java.io.IOException;

/** Signals Java has no name for. */
final class Signals {

    private Signals() {}

    /** @param signal as {@code kill} names it: STOP, CONT */
    static void send(String signal, long pid) {
        try {
            int exit = new ProcessBuilder("kill", "-" + signal, String.valueOf(pid))
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new AssertionError("kill -" + signal + " " + pid + ": " + exit);
            }
        } catch (IOException failure) {
            throw new AssertionError(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
