package ai.molecule.provisioner.teams;

import io.vertx.core.Future;
import java.util.Optional;

/** Where the {@code config.yaml} of templates is found. */
public interface TeamConfigs {

    /** Of the template that is named like a workspace: its folder, else the name in its config. */
    Future<Optional<String>> ofWorkspaceNamed(String name);

    /** Of the template in the folder of that name; empty when there is none, or when the name leads elsewhere. */
    Future<Optional<String>> ofTemplate(String folder);
}
