// Package board is the screen of columns and cards.
//
// The cursor is a card's id, per column. A refresh never moves it to another
// card while its own is still in the column, nor scrolls it away; when the card
// has left, the cursor falls on the neighbour and verbs are refused for a moment,
// so that a key already on its way does not hit the wrong card. The column
// changes by itself only to follow a card that the person moved.
package board
