import './tokens.css';
import './app';
