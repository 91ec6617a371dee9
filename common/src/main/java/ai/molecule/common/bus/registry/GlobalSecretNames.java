package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;

/** Which global secrets are set; a value is never empty. Called by the import of an organisation. Reads only. */
public record GlobalSecretNames() {

    public static final Contract<GlobalSecretNames, Names> CONTRACT =
            Contract.reading("registry.global-secret-names", GlobalSecretNames.class, Names.class);

    /** Sorted, at most about 100. */
    public record Names(List<String> names) {}
}
