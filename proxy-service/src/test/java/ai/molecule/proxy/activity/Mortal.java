package ai.molecule.proxy.activity;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** A process that holds a tally until it is killed. */
public final class Mortal {

    private Mortal() {}

    /** {@code <folder> <proxy> <rows> <calls>}; prints a line when both are told. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        var tally = Tally.in(Path.of(arguments[0]), UUID.fromString(arguments[1]));
        tally.rows(Integer.parseInt(arguments[2]));
        tally.calls(Integer.parseInt(arguments[3]));
        System.out.println("told");
        Thread.sleep(Long.MAX_VALUE);
    }
}
