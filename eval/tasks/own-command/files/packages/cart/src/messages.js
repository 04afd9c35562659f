export const messages = {
  cartEmpty: 'Your cart is empty.',
  cartFull: 'No more fits into your cart.',
}
