package ai.molecule.provisioner.imports;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Imports that are not finished, so that one a crash cut short is known to whoever comes after. */
public interface ImportStore {

    /** The most that one {@link #list} answers. */
    int LIST_MAX = 100;

    /** An import that nobody else works on. Exactly one of {@link #end} and {@link #leave} gives it up. */
    interface Held {

        OpenImport about();

        /** All files are written. */
        Future<Void> equipped();

        /** Nothing is left to do. */
        Future<Void> end();

        /** Gives it up unfinished: somebody else will look at what is left to do. */
        Future<Void> leave();
    }

    /** Records it and holds it. As long as this process lives, nobody else takes it up. */
    Future<Held> begin(OpenImport started);

    /** Every unfinished one, oldest first, held or not. */
    Future<List<UUID>> list();

    /** Holds one that a crash cut short; empty when somebody works on it, or it is finished meanwhile. */
    Future<Optional<Held>> take(UUID id);
}
