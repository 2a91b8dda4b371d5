import type { Words } from './en.js';

export const GERMAN: Words = {
  test: 'Testmodus: Es fließt kein Geld.',
  title: '{shop} bezahlen',
  order: 'Ihre Bestellung',
  each: '{quantity} × {amount} pro Stück',
  more: 'und {count} weitere',
  subtotal: 'Zwischensumme',
  discount: 'Rabatt',
  orderDiscount: 'Rabatt auf die Bestellung',
  shipping: 'Versand',
  tax: 'Steuer',
  taxIncluded: 'Enthaltene Steuer',
  total: 'Gesamt',
  pay: '{amount} bezahlen',
  complete: 'Bestellung abschließen',
  back: 'Zurück zu {shop}',
  onward: 'Weiter zu {shop}',
  nothingToPay: 'Es ist nichts zu bezahlen.',
  noPlaceToPay:
    'Diese Bestellung kann hier derzeit nicht bezahlt werden. Bitte wenden Sie sich an {shop}.',
  notCharged: 'Bei diesem Versuch wurde nichts abgebucht. Sie können erneut bezahlen.',
  continueAt: 'Sie bezahlen auf {host}.',
  finished: 'Haben Sie die Zahlung abgeschlossen?',
  finishedYes: 'Ja, ich habe bezahlt',
  beingPaid: 'Ihre Zahlung wird bestätigt',
  beingPaidMore:
    'Diese Seite zeigt das Ergebnis, sobald es bekannt ist. Sie können warten oder sie schließen.',
  notPaidYet: 'Noch nicht bezahlt? Zur Zahlung',
  unheard: 'Uns ist noch keine Zahlung bekannt',
  unheardMore:
    'Falls Sie bezahlt haben, bezahlen Sie bitte nicht erneut, sondern wenden Sie sich an {shop}.',
  awaited: 'Ihre Zahlung ist unterwegs',
  awaitedMore:
    '{shop} wartet bis {until} darauf. Sie müssen nichts weiter tun. Bitte bezahlen Sie nicht ' +
    'erneut.',
  paid: 'Vielen Dank für Ihre Bestellung',
  paidMore: '{shop} hat Ihre Zahlung erhalten.',
  refunded: '{shop} hat Ihre Zahlung erstattet.',
  further:
    '{shop} hat für diese Bestellung eine weitere Zahlung erhalten und meldet sich deswegen ' +
    'bei Ihnen.',
  reference: 'Referenz',
  payment: 'Zahlung',
  date: 'Datum',
  beingSettled: 'Einen Moment: Sie werden zu {shop} zurückgeleitet.',
  expired: 'Diese Seite ist abgelaufen',
  expiredMore:
    'Die Bestellung kann hier nicht mehr bezahlt werden. Um neu zu beginnen, gehen Sie zurück ' +
    'zu {shop}.',
  expiredPaid:
    'Die Bestellung kann hier nicht mehr bezahlt werden. Falls Sie bezahlt haben, meldet sich ' +
    '{shop} bei Ihnen.',
  inTouch:
    'Die Zahlung konnte der Bestellung nicht automatisch zugeordnet werden. {shop} meldet sich ' +
    'bei Ihnen.',
  contact: 'Kontakt',
  terms: 'AGB',
  privacy: 'Datenschutz',
  missing: 'Diese Seite gibt es nicht',
  missingMore: 'Bitte prüfen Sie den Link, den Sie erhalten haben.',
  trouble: 'Etwas ist schiefgegangen',
  troubleMore: 'Bitte versuchen Sie es gleich noch einmal.',
};
