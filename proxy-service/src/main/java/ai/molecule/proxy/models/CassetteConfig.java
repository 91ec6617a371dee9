package ai.molecule.proxy.models;

import ai.molecule.common.config.Env;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether calls of models are recorded or replayed; absent when they simply pass.
 *
 * @param mode {@code MOLECULE_MODELS}: {@code record} or {@code replay}; {@code passthrough} (default) is neither
 * @param folder {@code MOLECULE_CASSETTES}: where the cassettes are
 * @param timed {@code MOLECULE_REPLAY_TIMED=1}: whether a replayed answer takes as long as the recorded one did
 */
record CassetteConfig(Mode mode, Path folder, boolean timed) {

    enum Mode {
        RECORD,
        REPLAY
    }

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    static Optional<CassetteConfig> fromEnv(Env env) {
        String wish = Optional.ofNullable(env.find("MOLECULE_MODELS"))
                .orElse("passthrough")
                .toLowerCase(Locale.ROOT);
        if (wish.equals("passthrough")) {
            return Optional.empty();
        }
        Mode mode =
                switch (wish) {
                    case "record" -> Mode.RECORD;
                    case "replay" -> Mode.REPLAY;
                    default ->
                        throw new IllegalArgumentException("MOLECULE_MODELS must be passthrough, record or replay");
                };
        String folder = env.find("MOLECULE_CASSETTES");
        if (folder == null) {
            throw new IllegalArgumentException("MOLECULE_MODELS=" + wish + " needs MOLECULE_CASSETTES, a folder");
        }
        return Optional.of(new CassetteConfig(mode, Path.of(folder), "1".equals(env.find("MOLECULE_REPLAY_TIMED"))));
    }
}
