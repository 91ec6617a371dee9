package ai.molecule.events.activity;

import io.vertx.core.Future;
import java.time.LocalDate;
import java.util.List;

/** The days that activity is kept in. Every call is safe on several replicas at once and may be repeated. */
public interface ActivityDayStore {

    /**
     * Makes room for rows of every day from {@code first} to {@code last} and one more, and has rows of other times kept with the nearest of
     * them; days that are there stay as they are.
     */
    Future<Void> prepare(LocalDate first, LocalDate last);

    /** The days before {@code first} that still take up room, oldest first. */
    Future<List<LocalDate>> before(LocalDate first);

    /** Forgets a day whole, without holding up whoever reads or writes another. */
    Future<Void> drop(LocalDate day);
}
