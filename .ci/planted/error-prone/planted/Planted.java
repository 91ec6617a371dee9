package planted;

final class Planted {
    void check(int value) {
        if (value < 0) {
            new IllegalArgumentException("never thrown");
        }
    }
}
