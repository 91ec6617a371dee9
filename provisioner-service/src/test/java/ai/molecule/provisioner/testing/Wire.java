package ai.molecule.provisioner.testing;

import io.vertx.core.Future;
import java.util.function.Supplier;

/** What every call passes on its way to the {@link StandInRegistry}: where tests lose it. */
public interface Wire {

    Wire WHOLE = new Wire() {
        @Override
        public <T> Future<T> pass(Supplier<Future<T>> effect) {
            return effect.get();
        }
    };

    <T> Future<T> pass(Supplier<Future<T>> effect);
}
