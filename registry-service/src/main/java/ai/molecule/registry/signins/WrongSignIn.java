package ai.molecule.registry.signins;

/** A sign-in that is not believed. Its message is for the log: whoever tried is told only that it failed. */
final class WrongSignIn extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WrongSignIn(String why) {
        super(why, null, false, false);
    }
}
