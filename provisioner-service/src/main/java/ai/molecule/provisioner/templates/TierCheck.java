package ai.molecule.provisioner.templates;

import ai.molecule.common.bus.provisioner.TierFits;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.configs.ConfigFile;
import io.vertx.core.Future;
import java.util.Optional;

/** Says of a tier, before anything is created, what the start would say. */
public record TierCheck(Backend backend, Templates templates) {

    /** Serves {@link TierFits}. */
    public Future<TierFits.Answer> of(TierFits question) {
        var refusal = backend.tierRefusal(question.runtime(), question.tier());
        return refusal.isEmpty()
                ? Future.succeededFuture(new TierFits.Answer(null))
                : configOf(question)
                        .map(config -> new TierFits.Answer(
                                config.filter(ConfigFile::namesCommand).isPresent() ? null : refusal.get()));
    }

    private Future<Optional<ConfigFile>> configOf(TierFits question) {
        if (question.workspaceId() != null) {
            return backend.files()
                    .read(question.workspaceId(), Root.CONFIGS, ConfigFile.PATH)
                    .map(found -> found.map(content -> ConfigFile.of(content.getBytes())));
        }
        return question.template() == null
                ? Future.succeededFuture(Optional.empty())
                : templates.find(question.template()).map(found -> found.map(Template::config));
    }
}
