package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.StartDelayed;
import java.nio.file.Path;

/** Starts that a machine refused for want of something, in words of a person: what it lacks now it may have in a minute. */
final class ScarceMachine {

    private ScarceMachine() {}

    /**
     * The start is tried again.
     *
     * @param failure by the system's words for its errors
     * @param data where agents' folders are
     */
    static StartDelayed delay(Throwable failure, Path data) {
        String words = String.valueOf(failure.getMessage());
        String cause;
        if (words.contains("No space left on device") || words.contains("Disk quota exceeded")) {
            cause = "the disk that holds %s is full. Free some space on it: ".formatted(data);
        } else if (words.contains("Too many open files")) {
            cause = "the platform has no file descriptors left. Raise its limit (ulimit -n): ";
        } else if (words.contains("error=11")
                || words.contains("error: 11")
                || words.contains("Resource temporarily unavailable")) {
            cause = "the machine has no processes left. End some, or raise the limit (ulimit -u): ";
        } else if (words.contains("error=12")
                || words.contains("error: 12")
                || words.contains("Cannot allocate memory")) {
            cause = "the machine has no memory left: ";
        } else {
            cause = "";
        }
        // of a failure in a file the message may be its path alone
        return StartDelayed.because(new Exception(cause + (cause.isEmpty() ? failure.toString() : words), failure));
    }
}
