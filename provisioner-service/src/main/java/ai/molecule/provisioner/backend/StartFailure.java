package ai.molecule.provisioner.backend;

/** Why an agent could not be started. Whatever else a start fails with means that the platform itself was in the way. */
public abstract sealed class StartFailure extends RuntimeException permits StartRefused, StartDelayed {

    StartFailure(String sentence) {
        super(sentence);
    }
}
