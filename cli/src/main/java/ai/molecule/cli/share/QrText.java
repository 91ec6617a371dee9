package ai.molecule.cli.share;

import io.nayuki.qrcodegen.QrCode;
import java.util.ArrayList;
import java.util.List;

/** A QR code of characters, two rows of it in a line. What is light is drawn, as a terminal is dark; around it is the margin that readers ask for. */
final class QrText {

    private static final int MARGIN = 4;

    /** White on black, whatever colours a terminal has. */
    private static final String PAINTED = "\u001b[97;40m";

    private static final String PLAIN = "\u001b[0m";

    private QrText() {}

    static List<String> of(String text, boolean colours) {
        var code = QrCode.encodeText(text, QrCode.Ecc.LOW);
        List<String> lines = new ArrayList<>();
        for (int y = -MARGIN; y < code.size + MARGIN; y += 2) {
            var line = new StringBuilder();
            for (int x = -MARGIN; x < code.size + MARGIN; x++) {
                boolean above = !code.getModule(x, y);
                boolean below = !code.getModule(x, y + 1);
                line.append(above ? below ? '█' : '▀' : below ? '▄' : ' ');
            }
            lines.add(colours ? PAINTED + line + PLAIN : line.toString());
        }
        return lines;
    }
}
