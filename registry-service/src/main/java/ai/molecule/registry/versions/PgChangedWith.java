package ai.molecule.registry.versions;

import ai.molecule.common.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

/** Tells a transaction who changes the settings in it; forgotten with its end. */
public final class PgChangedWith {

    private static final String SAY = """
            SELECT set_config('molecule.changed_with', $1, true), set_config('molecule.restored_from', $2, true)
            """;

    private static final String SAY_MODEL = "SELECT set_config('molecule.model', $1, true)";

    /** What the trigger takes for the model's own choice. */
    private static final String DEFAULT = "default";

    private PgChangedWith() {}

    /** @param credential as {@link ai.molecule.common.auth.Caller#credential} has it */
    public static Future<Void> say(Sql transaction, String credential) {
        return transaction.run(SAY, Tuple.of(credential, ""));
    }

    /** The same for what goes back to an earlier version. */
    static Future<Void> sayRestored(Sql transaction, String credential, int n) {
        return transaction.run(SAY, Tuple.of(credential, Integer.toString(n)));
    }

    /** The model that is chosen in this transaction; null for the runtime's own. */
    public static Future<Void> sayModel(Sql transaction, @Nullable String model) {
        return transaction.run(SAY_MODEL, Tuple.of(model == null ? DEFAULT : model));
    }
}
