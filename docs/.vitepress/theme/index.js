import DefaultTheme from 'vitepress/theme';
import Diagram from './Diagram.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Diagram', Diagram),
};
