package ai.molecule.runtime.a2a;

import io.vertx.core.http.HttpServerRequest;
import java.util.OptionalInt;

/** Numbers in a query. */
final class HttpParameters {

    private HttpParameters() {}

    /** Empty when it is absent. @throws HttpRefusal 400 when it is no number from 0 */
    static OptionalInt count(HttpServerRequest request, String name) {
        String text = request.getParam(name);
        if (text == null) {
            return OptionalInt.empty();
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= 0) {
                return OptionalInt.of(number);
            }
        } catch (NumberFormatException notANumber) {
            // refused below
        }
        throw new HttpRefusal(400, name + " must be a number from 0");
    }
}
